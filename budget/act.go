package budget

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// target is a workload with what was decided of it.
type target struct {
	around *surroundings
	uid    types.UID
	status *Status
}

// act writes what was decided, where the cluster is not so yet.
func (c *Controller) act(ctx context.Context, id validate.Identity, t target) (reconcile.Result, error) {
	mine := t.around.mine()
	switch {
	case t.status.Standing == Unclear:
		return reconcile.Result{}, nil
	case t.status.Standing != Made && mine == nil:
		return reconcile.Result{}, nil
	case t.status.Standing != Made:
		why := withdrawnText(t.status)
		gone, result, err := c.withdraw(ctx, mine, t.status.Standing, why)
		if gone {
			c.event(t, corev1.EventTypeNormal, reasonWithdrawn, "Withdrew PodDisruptionBudget "+mine.object.Ref.Name+": "+why)
		}
		return result, err
	case mine == nil:
		return c.make(ctx, t)
	default:
		return c.keep(ctx, id, t, mine)
	}
}

func (c *Controller) make(ctx context.Context, t target) (reconcile.Result, error) {
	budget := c.rules.Load().Budget
	text, err := manifestOf(t.around.workload, t.uid, budget).json()
	if err != nil {
		return reconcile.Result{}, err
	}
	// Without force: if somebody was faster with this name, the object is theirs.
	made, err := c.writer.apply(ctx, t.around.workload.Ref.Namespace, Name(t.around.workload.Ref), text, false)
	switch {
	case terminating(err):
		return reconcile.Result{}, nil // and all in the namespace goes
	case err != nil:
		c.o.Metrics.failed.WithLabelValues(operationMake).Inc()
		return reconcile.Result{}, err
	}
	c.o.State.put(made)
	c.o.Metrics.made.Inc()
	c.o.Log.Info("budget made", "workload", t.around.workload.Ref.String(), "budget", made.object.Ref.Name, "floor", t.status.Floor)
	c.event(t, corev1.EventTypeNormal, reasonMade, "Made PodDisruptionBudget "+made.object.Ref.Name+" with maxUnavailable "+budget.MaxUnavailable.String())
	return reconcile.Result{}, nil
}

// keep puts our budget back as it should be.
func (c *Controller) keep(ctx context.Context, id validate.Identity, t target, mine *record) (reconcile.Result, error) {
	budget := c.rules.Load().Budget
	w := t.around.workload
	changed := difference(mine, w, t.uid, budget)
	if changed == "" || mine.object.Budget.Deleting {
		return reconcile.Result{}, nil
	}
	if wait := c.fights.wait(id); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	m := manifestOf(w, t.uid, budget)
	// Of the version that was looked at: who takes the label away in this moment
	// shall have the budget.
	m.Metadata.UID, m.Metadata.ResourceVersion = mine.uid, mine.version
	kept, err := c.write(ctx, m, mine.object.Budget)
	switch {
	case apierrors.IsConflict(err) || apierrors.IsNotFound(err):
		return reconcile.Result{RequeueAfter: firstRetry}, nil // its change is on the way
	case err != nil:
		c.o.Metrics.failed.WithLabelValues(operationKeep).Inc()
		return reconcile.Result{}, err
	}
	c.o.State.put(kept)
	c.o.Metrics.kept.Inc()
	c.o.Log.Info("budget put back", "workload", w.Ref.String(), "budget", m.Metadata.Name, "field", changed)
	c.event(t, corev1.EventTypeNormal, reasonKept,
		"Put back "+changed+" of PodDisruptionBudget "+m.Metadata.Name+", which Probity keeps. To make it yours, remove its label "+Label)
	return reconcile.Result{}, nil
}

func (c *Controller) write(ctx context.Context, m manifest, is *workload.Budget) (*record, error) {
	if is.MinAvailable != nil {
		text, err := m.replacing()
		if err != nil {
			return nil, err
		}
		return c.writer.merge(ctx, m.Metadata.Namespace, m.Metadata.Name, text)
	}
	text, err := m.json()
	if err != nil {
		return nil, err
	}
	return c.writer.apply(ctx, m.Metadata.Namespace, m.Metadata.Name, text, true)
}

// withdraw takes a budget of ours away, in the version that was looked at. since is
// what its workload has from now on, and why says the same for people.
func (c *Controller) withdraw(ctx context.Context, b *record, since Standing, why string) (gone bool, _ reconcile.Result, _ error) {
	ref := b.object.Ref
	if b.object.Budget.Deleting {
		return false, reconcile.Result{}, nil
	}
	err := c.writer.delete(ctx, b)
	switch {
	case apierrors.IsConflict(err):
		return false, reconcile.Result{RequeueAfter: firstRetry}, nil // its change is on the way
	case apierrors.IsNotFound(err):
		// Not by us, or by us before: a watch may bring back for a moment what was deleted.
		c.o.State.remove(validate.IdentityOf(ref))
		return false, reconcile.Result{}, nil
	case err != nil:
		c.o.Metrics.failed.WithLabelValues(operationWithdraw).Inc()
		return false, reconcile.Result{}, err
	}
	c.o.State.remove(validate.IdentityOf(ref))
	c.o.Metrics.withdrawn.WithLabelValues(string(since)).Inc()
	c.o.Log.Info("budget withdrawn", "budget", ref.String(), "reason", why, "standing", string(since))
	return true, reconcile.Result{}, nil
}

// terminating reports whether a write failed because its namespace is being deleted.
func terminating(err error) bool {
	return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}
