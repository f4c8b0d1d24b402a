package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/measure"
)

// footprint is a run.
type footprint struct {
	size
	cluster  *install.Local
	clients  []kubernetes.Interface
	progress io.Writer

	idleStarts, fullStarts []start
	idle, grown, full      memory
	loaded                 memory
}

// memory of Probity's process, in bytes.
type memory struct {
	resident float64
	// peak is the most that was resident since the process began.
	peak float64
	heap float64
}

func newFootprint(cluster *install.Local, s size, progress io.Writer) (*footprint, error) {
	all, err := measure.Clients(cluster.ControlPlane.Admin(), clients)
	if err != nil {
		return nil, err
	}
	return &footprint{size: s, cluster: cluster, clients: all, progress: progress}, nil
}

func (f *footprint) measure(ctx context.Context) (err error) {
	fmt.Fprintf(f.progress, "Starting Probity %d times.\n", f.starts)
	if f.idleStarts, err = f.startAgain(ctx); err != nil {
		return err
	}
	if f.idle, err = f.settled(ctx); err != nil {
		return err
	}
	if err := f.fill(ctx); err != nil {
		return err
	}
	if f.grown, err = f.settled(ctx); err != nil {
		return err
	}
	fmt.Fprintf(f.progress, "Starting Probity %d times.\n", f.starts)
	if f.fullStarts, err = f.startAgain(ctx); err != nil {
		return err
	}
	if err := f.looked(ctx); err != nil {
		return err
	}
	if f.full, err = f.settled(ctx); err != nil {
		return err
	}
	if err := f.load(ctx); err != nil {
		return err
	}
	f.loaded, err = f.settled(ctx)
	return err
}

// settled returns the memory of Probity when the time to settle is over: the median of
// the second half of it. Go gives memory back for some time after it was used.
func (f *footprint) settled(ctx context.Context) (memory, error) {
	fmt.Fprintf(f.progress, "Waiting %s for memory to settle.\n", f.settle)
	var resident, heap []float64
	tick := time.NewTicker(max(f.settle/20, time.Millisecond))
	defer tick.Stop()
	for begin := time.Now(); len(resident) == 0 || time.Since(begin) < f.settle; {
		select {
		case <-ctx.Done():
			return memory{}, ctx.Err()
		case <-f.cluster.Probity.Ended():
			return memory{}, errors.New("probity has ended by itself")
		case <-tick.C:
		}
		if time.Since(begin) < f.settle/2 {
			continue
		}
		p, err := measure.Read(ctx, f.cluster.Probity)
		if err != nil {
			return memory{}, err
		}
		resident, heap = append(resident, p.Resident), append(heap, p.Heap)
	}
	peak, err := f.cluster.Probity.PeakMemory()
	return memory{resident: measure.Median(resident), heap: measure.Median(heap), peak: peak}, err
}
