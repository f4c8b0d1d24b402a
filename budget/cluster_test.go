package budget

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/workload"
)

// cluster is a controller on a state that the test writes, with an API server that
// has only budgets.
type cluster struct {
	t          *testing.T
	controller *Controller
	state      *State
	registry   *prometheus.Registry
	clock      *clocktesting.FakeClock
	settings   validate.Settings
	version    int
	// written are the calls to the API server, events what it was told.
	written, events []string
	// fail is what the next write gives.
	fail error
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, registry: prometheus.NewRegistry(), clock: clocktesting.NewFakeClock(time.Unix(0, 0)), version: 100}
	c.settings = validate.Settings{Mode: validate.ModeEnforce, Injection: validate.Injection{Budget: true}}
	target := &rest.Config{Host: "http://127.0.0.1:1"}
	var err error
	if c.state, err = NewState(StateOptions{Config: target, Kinds: workload.DefaultKinds()}); err != nil {
		t.Fatal(err)
	}
	c.state.watches.complete, c.state.watches.whole = true, true
	c.controller, err = NewController(Options{
		State: c.state, Settings: c, Excluded: []string{"kube-system"}, Rules: Rules{Budget: config.Default().Budget},
		Recorder: c, Metrics: NewMetrics(c.registry), Log: logr.Discard(), Clock: c.clock,
	})
	if err != nil {
		t.Fatal(err)
	}
	c.controller.writer = c
	return c
}

// Settings makes a cluster what says what holds in a namespace.
func (c *cluster) Settings(context.Context, string) (validate.Settings, error) {
	return c.settings, nil
}

// Event makes a cluster a Recorder.
func (c *cluster) Event(object runtime.Object, kind, reason, note string) {
	r := object.(*corev1.ObjectReference)
	c.events = append(c.events, fmt.Sprintf("%s %s/%s %s %s: %s", r.Kind, r.Namespace, r.Name, kind, reason, note))
}

func (c *cluster) failure() error {
	err := c.fail
	c.fail = nil
	return err
}

func (c *cluster) apply(_ context.Context, namespace, name string, manifest []byte, force bool) (*record, error) {
	c.written = append(c.written, fmt.Sprintf("apply %s/%s force=%t", namespace, name, force))
	if err := c.failure(); err != nil {
		return nil, err
	}
	return c.stored(manifest, nil), nil
}

func (c *cluster) merge(_ context.Context, namespace, name string, patch []byte) (*record, error) {
	c.written = append(c.written, fmt.Sprintf("merge %s/%s", namespace, name))
	return c.stored(patch, nil), c.failure()
}

func (c *cluster) delete(_ context.Context, b *record) error {
	c.written = append(c.written, "delete "+b.object.Ref.Namespace+"/"+b.object.Ref.Name)
	return c.failure()
}

// stored is an object as the API server has it, with a version.
func (c *cluster) stored(text []byte, change func(meta map[string]any)) *record {
	c.t.Helper()
	o := decodeYAML(c.t, string(text))
	if o["kind"] == nil {
		o["apiVersion"], o["kind"] = "policy/v1", budgetKind
	}
	meta := o["metadata"].(map[string]any)
	c.version++
	meta["resourceVersion"] = strconv.Itoa(c.version)
	if meta["uid"] == nil {
		meta["uid"] = fmt.Sprint("uid-", meta["name"])
	}
	if change != nil {
		change(meta)
	}
	text, err := yaml.Marshal(o)
	if err != nil {
		c.t.Fatal(err)
	}
	return recordOf(c.t, string(text))
}

// put lets the watch bring an object.
func (c *cluster) put(text string) { c.state.put(c.stored([]byte(text), nil)) }

func (c *cluster) remove(kind, name string) {
	group := map[string]string{budgetKind: "policy", "HorizontalPodAutoscaler": "autoscaling"}[kind]
	if group == "" {
		group = "apps"
	}
	c.state.remove(validate.Identity{Group: group, Kind: kind, Namespace: "shop", Name: name})
}

// settle reconciles all workloads until nothing is written any more, and returns
// what was.
func (c *cluster) settle() []string {
	c.t.Helper()
	c.written = nil
	for range 5 {
		before := len(c.written)
		for _, id := range c.state.concerned("") {
			if _, err := c.controller.Reconcile(c.t.Context(), id); err != nil {
				c.t.Fatal(err)
			}
		}
		if len(c.written) == before {
			return c.written
		}
	}
	c.t.Fatalf("no end of writes: %v", c.written)
	return nil
}

func (c *cluster) expect(what string, want ...string) {
	c.t.Helper()
	if diff := cmp.Diff(want, c.settle()); diff != "" {
		c.t.Errorf("%s:\n%s", what, diff)
	}
}

func (c *cluster) exempt(e *validate.Exemptions) {
	c.controller.Use(Rules{Budget: config.Default().Budget, Exemptions: e})
}

// statuses are what was said of all workloads that are Probity's matter.
func (c *cluster) statuses() map[validate.Identity]said {
	known := &c.controller.statuses
	known.mu.Lock()
	defer known.mu.Unlock()
	return maps.Clone(known.of)
}

func (c *cluster) standing(name string) Standing {
	for id, s := range c.statuses() {
		if id.Name == name {
			return s.standing
		}
	}
	return Ignored
}
