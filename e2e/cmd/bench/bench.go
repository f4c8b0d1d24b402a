package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/measure"
)

// bench is a run.
type bench struct {
	load
	cluster *install.Local
	clients []kubernetes.Interface
	bare    *bare
	lanes   []*lane
}

func newBench(ctx context.Context, cluster *install.Local, l load) (*bench, error) {
	clients, err := measure.Clients(cluster.ControlPlane.Admin(), l.clients)
	if err != nil {
		return nil, err
	}
	b := &bench{load: l, cluster: cluster, clients: clients, lanes: newLanes()}
	deployment, err := measure.Deployment(cluster.Repository)
	if err != nil {
		return nil, err
	}
	if err := createPolicy(ctx, b.clients[0]); err != nil {
		return nil, err
	}
	patch, err := injection(deployment)
	if err != nil {
		return nil, err
	}
	if b.bare, err = startBare(ctx, patch); err != nil {
		return nil, err
	}
	if err := b.createWebhooks(ctx); err != nil {
		return nil, err
	}
	for i, lane := range b.lanes {
		if err := b.prepare(ctx, lane, i, deployment); err != nil {
			return nil, fmt.Errorf("%s: %w", lane.name, err)
		}
	}
	return b, nil
}

func (b *bench) prepare(ctx context.Context, l *lane, i int, deployment *appsv1.Deployment) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: l.namespace(i), Labels: l.labels}}
	if _, err := b.clients[0].CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return err
	}
	l.deployment = deployment.DeepCopy()
	l.deployment.Namespace = namespace.Name
	if l.lacking {
		containers := l.deployment.Spec.Template.Spec.Containers
		for i := range containers {
			containers[i].StartupProbe = nil
		}
	}
	if l.base == nil {
		return nil
	}
	return b.waitUntilRefused(ctx, l)
}

// run measures all lanes, after a round that does not count: connections are made and
// caches filled in it.
func (b *bench) run(ctx context.Context, progress io.Writer) error {
	for round := range b.rounds + 1 {
		for i := range b.lanes {
			// Another begins each time, so that none always follows the same one.
			l := b.lanes[(i+round)%len(b.lanes)]
			if err := b.measure(ctx, l); err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
			if round == 0 {
				l.measured = measured{}
			}
		}
		fmt.Fprintf(progress, "Round %d of %d.\n", round, b.rounds)
	}
	return nil
}

// measure is one round of one lane.
func (b *bench) measure(ctx context.Context, l *lane) error {
	before, err := b.usage(ctx, l)
	if err != nil {
		return err
	}
	begin := time.Now()
	latencies, err := b.create(ctx, l.deployment, b.creates/b.rounds)
	if err != nil {
		return err
	}
	took := time.Since(begin)
	after, err := b.usage(ctx, l)
	if err != nil {
		return err
	}
	l.latencies = append(l.latencies, latencies...)
	l.rates = append(l.rates, float64(len(latencies))/took.Seconds())
	l.calls += after.calls - before.calls
	l.cpu += after.cpu - before.cpu
	return nil
}

// create has each client make its share, and returns how long each create took.
func (b *bench) create(ctx context.Context, deployment *appsv1.Deployment, n int) ([]time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	shares := make([][]time.Duration, len(b.clients))
	var all sync.WaitGroup
	for i, client := range b.clients {
		all.Go(func() {
			for range n / len(b.clients) {
				begin := time.Now()
				if _, err := client.AppsV1().Deployments(deployment.Namespace).Create(ctx, deployment, dryRun()); err != nil {
					cancel(err)
					return
				}
				shares[i] = append(shares[i], time.Since(begin))
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var latencies []time.Duration
	for _, share := range shares {
		latencies = append(latencies, share...)
	}
	return latencies, nil
}

func dryRun() metav1.CreateOptions { return metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}} }

// usage is what was done for a lane so far.
type usage struct {
	calls float64       // of webhooks, as the API server counts them
	cpu   time.Duration // of the process that answers them
}

func (b *bench) usage(ctx context.Context, l *lane) (usage, error) {
	calls, err := b.cluster.Metric(ctx, "apiserver_admission_webhook_request_total", nil)
	if err != nil || l.wantCalls == 0 {
		return usage{calls: calls}, err
	}
	process := b.cluster.Probity.PID()
	if l.bare {
		process = b.bare.process.Process.Pid
	}
	cpu, err := processCPU(process)
	return usage{calls: calls, cpu: cpu}, err
}

// processCPU is the time that a process has computed for, in itself and in the kernel,
// in ticks of a hundredth of a second: fields 14 and 15 of proc_pid_stat(5).
func processCPU(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("this benchmark needs Linux, for the CPU time of a process: %w", err)
	}
	const utime = 14 - 3 // the second field, a name, may hold anything up to its bracket
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	var ticks int
	for _, field := range fields[utime : utime+2] {
		n, err := strconv.Atoi(string(field))
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100, nil
}
