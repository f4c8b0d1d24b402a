// Package measure is what the programs that measure Probity on a real control plane
// share: clients, an object as people write it, what Probity says of itself, and a few
// statistics.
package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/probity-dev/probity/e2e/install"
)

// reviewFile, in the repository, holds the Deployment that the benchmark of the
// webhook alone judges: three containers, nothing at fault.
const reviewFile = "webhook/testdata/bench/deployment.json"

// Access returns access of the same user by a connection of its own: client-go shares
// one among clients with the same functions.
func Access(access *rest.Config) *rest.Config {
	own := rest.CopyConfig(access)
	own.Dial = (&net.Dialer{}).DialContext
	return own
}

// Clients returns clients with a connection each.
func Clients(access *rest.Config, n int) ([]kubernetes.Interface, error) {
	clients := make([]kubernetes.Interface, n)
	for i := range clients {
		var err error
		if clients[i], err = kubernetes.NewForConfig(Access(access)); err != nil {
			return nil, err
		}
	}
	return clients, nil
}

// Deployment returns the Deployment of the benchmarks, as a person would write it.
func Deployment(repository string) (*appsv1.Deployment, error) {
	text, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(reviewFile)))
	if err != nil {
		return nil, err
	}
	var review struct {
		Request struct{ Object *appsv1.Deployment }
	}
	if err := json.Unmarshal(text, &review); err != nil {
		return nil, fmt.Errorf("%s: %w", reviewFile, err)
	}
	d := review.Request.Object
	d.ObjectMeta = metav1.ObjectMeta{GenerateName: d.Name + "-", Labels: d.Labels, Annotations: d.Annotations}
	d.Status = appsv1.DeploymentStatus{}
	return d, nil
}

// Process is what a Probity says of its process.
type Process struct {
	CPU        time.Duration // used so far
	Resident   float64       // bytes of memory, those of the program's file included
	Heap       float64       // bytes that the last collection left; see [Read]
	Goroutines float64
	Handles    float64 // open files and connections
}

// Read asks a Probity for its metrics. The heap is reckoned from the size at which the
// collector begins next, which is GOGC percent above what was live last time. It does
// not depend on the moment, as the bytes in use do, which swing between the two.
func Read(ctx context.Context, p *install.Probity) (Process, error) {
	families, err := p.Metrics(ctx)
	if err != nil {
		return Process{}, fmt.Errorf("read Probity's metrics: %w", err)
	}
	value := func(name string) float64 {
		v, shown := families.Sum(name, nil)
		if !shown {
			err = fmt.Errorf("no %s among the metrics of Probity; this needs Linux", name)
		}
		return v
	}
	return Process{
		CPU:        time.Duration(value("process_cpu_seconds_total") * float64(time.Second)),
		Resident:   value("process_resident_memory_bytes"),
		Heap:       value("go_memstats_next_gc_bytes") / (1 + value("go_gc_gogc_percent")/100),
		Goroutines: value("go_goroutines"),
		Handles:    value("process_open_fds"),
	}, err
}
