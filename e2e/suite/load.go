package suite

import (
	"context"
	"sync"
	"sync/atomic"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const (
	// loaders is how many requests of a load are under way at once.
	loaders = 4
	// someRequests are as many as show that requests go through.
	someRequests = 20
)

// Load creates Deployments that are not at fault and lack a startup probe, so that all
// of Probity's webhooks for workloads are called, until it is stopped. They are dry
// runs.
type Load struct {
	space *Space
	halt  func()
	made  atomic.Int64

	mu      sync.Mutex
	refused []error
}

// UnderLoad does something while Deployments are created, and fails the test when one
// is refused, or when the API server counts a call of a webhook that failed.
func (s *Space) UnderLoad(what string, do func()) {
	s.T.Helper()
	before := s.failedCalls()
	load := s.StartLoad()
	load.More()
	do()
	load.More() // now that all has settled
	load.Stop()
	if after := s.failedCalls(); after != before {
		s.T.Errorf("%s: %.0f calls of webhooks failed", what, after-before)
	}
}

// failedCalls returns how many calls of webhooks failed so far, as the API server
// counts them, let through or not. Refusals count as well: under load there is none.
func (s *Space) failedCalls() (sum float64) {
	s.T.Helper()
	for _, name := range []string{"apiserver_admission_webhook_rejection_count", "apiserver_admission_webhook_fail_open_count"} {
		n, err := s.control.Metric(s.T.Context(), name, nil)
		if err != nil {
			s.T.Fatal(err)
		}
		sum += n
	}
	return sum
}

// StartLoad starts a load, which ends with the test at the latest.
func (s *Space) StartLoad() *Load {
	s.T.Helper()
	deployment := &appsv1.Deployment{}
	if err := yaml.UnmarshalStrict([]byte(Deployment("load", 2, AsksItself)), deployment); err != nil {
		s.T.Fatal(err)
	}
	deployment.Name, deployment.GenerateName = "", "load-"
	ctx, cancel := context.WithCancel(s.T.Context())
	var workers sync.WaitGroup
	l := &Load{space: s, halt: func() { cancel(); workers.Wait() }}
	s.T.Cleanup(l.halt)
	for range loaders {
		workers.Go(func() {
			for ctx.Err() == nil {
				_, err := s.Client.AppsV1().Deployments(s.Name).Create(ctx, deployment, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
				l.count(ctx, err)
			}
		})
	}
	return l
}

func (l *Load) count(ctx context.Context, err error) {
	switch {
	case err == nil:
		l.made.Add(1)
	case ctx.Err() == nil: // otherwise it is this load that ended
		l.mu.Lock()
		defer l.mu.Unlock()
		l.refused = append(l.refused, err)
	}
}

// More waits until some more requests went through.
func (l *Load) More() {
	l.space.T.Helper()
	enough := l.made.Load() + someRequests
	l.space.Eventually("requests that go through", func(context.Context) bool { return l.made.Load() >= enough })
}

// Stop ends the load, and fails the test when a request was refused, or none was made.
func (l *Load) Stop() {
	l.space.T.Helper()
	l.halt()
	made := l.made.Load()
	l.space.T.Logf("%d requests were made meanwhile", made)
	if made == 0 {
		l.space.T.Error("no request was made")
	}
	if len(l.refused) > 0 {
		l.space.T.Errorf("%d of %d requests were refused, the first one: %v", len(l.refused), made+int64(len(l.refused)), l.refused[0])
	}
}
