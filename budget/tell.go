package budget

import (
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/probity-dev/probity/escape"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// The reasons of events on workloads.
const (
	reasonMade      = "BudgetMade"
	reasonKept      = "BudgetPutBack"
	reasonWithdrawn = "BudgetWithdrawn"
	reasonNotMade   = "BudgetNotMade"
	reasonMissing   = "BudgetMissing"
	reasonOverlaps  = "BudgetOverlaps"
)

// Recorder writes an event on an object: a record.EventRecorder.
type Recorder interface {
	Event(object runtime.Object, kind, reason, note string)
}

// maxNote is the length at which the API server refuses an event's note.
const maxNote = 1024

// tell notes a status and says on the workload what somebody should do about it,
// once, when it becomes so.
func (c *Controller) tell(id validate.Identity, s *Status, settings validate.Settings, uid types.UID) {
	if !c.statuses.set(id, s) {
		return
	}
	t := target{around: &surroundings{workload: &workload.Workload{Ref: s.Workload}}, uid: uid}
	switch s.Standing {
	case Shared, Partly, Taken, Uncounted, Unclear:
		// In audit nothing reaches the user.
		if settings.Mode >= validate.ModeWarn && (s.Standing == Unclear || settings.Injection.Budget) {
			c.event(t, corev1.EventTypeWarning, reasonNotMade, "No PodDisruptionBudget is made: "+s.Detail)
		}
	case Missing:
		// In enforce somebody has declined budgets on purpose.
		if settings.Mode == validate.ModeWarn {
			c.event(t, corev1.EventTypeWarning, reasonMissing,
				"No PodDisruptionBudget covers the pods. Add one, or label the namespace "+workload.LabelInject+"=budget and Probity makes it")
		}
	case Made:
		if s.Detail != "" {
			c.event(t, corev1.EventTypeWarning, reasonOverlaps, s.Detail)
		}
	}
}

// refused notes that the API server would not have a write. It is tried again; the
// workload's owner is told once, as it may be theirs to mend: a quota, a webhook.
func (c *Controller) refused(id validate.Identity, s *Status, uid types.UID, err error) {
	var answer apierrors.APIStatus
	if s.Standing != Made || !errors.As(err, &answer) {
		return
	}
	s.Standing, s.Budgets, s.Detail = Refused, s.Budgets[1:], err.Error()
	if apierrors.IsConflict(err) {
		s.Standing, s.Detail = Taken, "another object has the name "+Name(s.Workload)
	}
	if !c.statuses.set(id, s) {
		return
	}
	t := target{around: &surroundings{workload: &workload.Workload{Ref: s.Workload}}, uid: uid}
	c.event(t, corev1.EventTypeWarning, reasonNotMade, "No PodDisruptionBudget is made: "+s.Detail)
}

// withdrawnText says why a budget is withdrawn.
func withdrawnText(s *Status) string {
	switch s.Standing {
	case Covered:
		return "PodDisruptionBudget " + strings.Join(s.Budgets, " and ") + " covers the pods"
	case Missing, Ignored:
		return "Probity makes no budgets here any more"
	default:
		return s.Detail
	}
}

func (c *Controller) event(t target, kind, reason, note string) {
	r := t.around.workload.Ref
	regarding := &corev1.ObjectReference{APIVersion: r.APIVersion, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, UID: t.uid}
	c.o.Recorder.Event(regarding, kind, reason, escape.Short(note, maxNote))
}
