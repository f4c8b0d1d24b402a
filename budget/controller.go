package budget

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
)

const (
	controllerName = "budgets"
	// workers write at the same time. Each waits for the API server most of it, and
	// that has its own limits.
	workers = 12
	// A failed write is tried again after a pause that doubles between these.
	firstRetry = 200 * time.Millisecond
	lastRetry  = 5 * time.Minute
)

// Settings say what holds in a namespace. An error means that nobody could say;
// then all stays as it is.
type Settings interface {
	Settings(ctx context.Context, namespace string) (validate.Settings, error)
}

// Rules are what a configuration says of budgets.
type Rules struct {
	// Budget is how they look.
	Budget config.Budget
	// Exemptions say where there are none.
	Exemptions *validate.Exemptions
}

// Options of a Controller.
type Options struct {
	State    *State
	Settings Settings
	// Excluded are namespaces where no budget is made, whatever their labels say.
	Excluded []string
	Rules
	Recorder Recorder
	Metrics  *Metrics
	Log      logr.Logger
	// Clock is the system's when nil.
	Clock clock.PassiveClock
}

// Controller makes, keeps and withdraws budgets, on the replica that leads.
type Controller struct {
	o        Options
	writer   writer
	rules    atomic.Pointer[Rules]
	statuses statuses
	fights   *restraint
	// queue is nil until this replica leads.
	queue atomic.Pointer[queue]
}

type queue struct {
	workqueue.TypedRateLimitingInterface[validate.Identity]
}

// NewController returns a controller of the state.
func NewController(o Options) (*Controller, error) {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	client, err := o.State.client(budgets())
	if err != nil {
		return nil, fmt.Errorf("budgets: %w", err)
	}
	c := &Controller{o: o, writer: &restWriter{client}, fights: newRestraint(o.Clock), statuses: statuses{metrics: o.Metrics, of: map[validate.Identity]said{}}}
	c.rules.Store(&o.Rules)
	o.State.Subscribe(c.enqueue)
	return c, nil
}

// SetupWithManager makes the manager run the controller while it leads.
func (c *Controller) SetupWithManager(mgr manager.Manager) error {
	run, err := controller.NewTyped(controllerName, mgr, controller.TypedOptions[validate.Identity]{
		Reconciler:              c,
		MaxConcurrentReconciles: workers,
		// Several managers in one process, as tests of replicas have, are no mistake.
		SkipNameValidation: ptr.To(true),
		// Nothing goes before anything else, and a queue of priorities holds more memory
		// for each of all workloads, which it is given at once.
		UsePriorityQueue: ptr.To(false),
		RateLimiter:      workqueue.NewTypedItemExponentialFailureRateLimiter[validate.Identity](firstRetry, lastRetry),
		LogConstructor: func(id *validate.Identity) logr.Logger {
			if id == nil {
				return c.o.Log
			}
			return c.o.Log.WithValues("workload", id.Kind+" "+id.Namespace+"/"+id.Name)
		},
	})
	if err != nil {
		return fmt.Errorf("budgets: %w", err)
	}
	return run.Watch(source.TypedFunc[validate.Identity](c.lead))
}

// lead begins the work of a leader: everything is looked at once.
func (c *Controller) lead(ctx context.Context, q workqueue.TypedRateLimitingInterface[validate.Identity]) error {
	c.queue.Store(&queue{q})
	context.AfterFunc(ctx, func() { c.queue.Store(nil) })
	c.enqueueAll()
	return nil
}

// Use takes the rules of a new configuration, and looks at everything again.
func (c *Controller) Use(r Rules) {
	c.rules.Store(&r)
	c.enqueueAll()
}

// NamespaceChanged looks again at the workloads of a namespace whose settings may
// have changed.
func (c *Controller) NamespaceChanged(name string) {
	if c.queue.Load() != nil {
		c.enqueue(c.o.State.concerned(name))
	}
}

// enqueueAll looks at every workload, and at our budgets that have lost theirs.
func (c *Controller) enqueueAll() {
	if c.queue.Load() != nil {
		c.enqueue(c.o.State.concerned(""))
	}
}

func (c *Controller) enqueue(ids []validate.Identity) {
	q := c.queue.Load()
	if q == nil {
		return
	}
	for _, id := range ids {
		q.Add(id)
	}
}

// Reconcile makes the budget of one workload what it should be.
func (c *Controller) Reconcile(ctx context.Context, id validate.Identity) (reconcile.Result, error) {
	synced := c.o.State.Synced() // asked first, so that it holds for what is looked at
	around, uid, known := c.o.State.around(id)
	if !known {
		c.statuses.set(id, &Status{Standing: Ignored})
	}
	switch {
	case !synced:
		return reconcile.Result{}, nil // the state tells of everything once it is
	case id.Kind == budgetKind:
		return c.reconcileOrphan(ctx, id)
	case !known:
		return c.reconcileGone(ctx, id)
	}
	settings, err := c.settings(ctx, id.Namespace)
	if err != nil {
		return reconcile.Result{}, err
	}
	status := decide(&around, settings, c.rules.Load().Exemptions)
	// Its garbage collector is at work; to help would only race it.
	if around.workload.Deleting {
		c.statuses.set(id, &status)
		return reconcile.Result{}, nil
	}
	if left := young(&around, &status, c.o.Clock.Now()); left > 0 {
		return reconcile.Result{RequeueAfter: left}, nil
	}
	result, err := c.act(ctx, id, target{&around, uid, &status})
	if err != nil {
		c.refused(id, &status, uid, err)
		return result, err
	}
	c.tell(id, &status, settings, uid)
	return result, nil
}

// settings of a namespace; an excluded one is off.
func (c *Controller) settings(ctx context.Context, namespace string) (validate.Settings, error) {
	if slices.Contains(c.o.Excluded, namespace) {
		return validate.Settings{}, nil
	}
	return c.o.Settings.Settings(ctx, namespace)
}

// reconcileGone deals with the budget of a workload that is not there. Where the
// kind is watched the garbage collector takes it away, unless the deletion was one
// that orphans. One of a kind that is no longer configured would stay for ever as it
// is.
func (c *Controller) reconcileGone(ctx context.Context, id validate.Identity) (reconcile.Result, error) {
	b := c.o.State.leftBy(id)
	if b == nil || b.object.Budget.Controller != nil && c.o.State.configured(id) {
		return reconcile.Result{}, nil
	}
	_, result, err := c.withdraw(ctx, b, Ignored, "its workload is gone, or of a kind that is not configured any more")
	return result, err
}

// reconcileOrphan deals with a budget of ours that has no owner, as a deletion
// that orphans leaves it: its workload's, if that is there again, else nobody's.
func (c *Controller) reconcileOrphan(ctx context.Context, id validate.Identity) (reconcile.Result, error) {
	b := c.o.State.orphan(id)
	if b == nil {
		return reconcile.Result{}, nil
	}
	if workload, ok := c.o.State.named(id); ok {
		c.enqueue([]validate.Identity{workload})
		return reconcile.Result{}, nil
	}
	_, result, err := c.withdraw(ctx, b, Ignored, "its workload was deleted without it")
	return result, err
}
