package operations

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// events are those of Probity in the namespace, a line each.
func (s space) events() (lines []string, items []corev1.Event) {
	s.T.Helper()
	list, err := s.Client.CoreV1().Events(s.Name).List(s.T.Context(), metav1.ListOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	for _, e := range list.Items {
		if e.Source.Component != "probity" {
			continue
		}
		items = append(items, e)
		rule := e.Message[strings.LastIndex(e.Message, "["):]
		lines = append(lines, fmt.Sprintf("%s %s %s %s %s", e.Type, e.Reason, e.InvolvedObject.Kind, e.InvolvedObject.Name, rule))
	}
	slices.Sort(lines)
	return lines, items
}

// tells waits for an Event.
func (s space) tells(line string) {
	s.T.Helper()
	s.Eventually("the Event "+line, func(context.Context) bool {
		lines, _ := s.events()
		return slices.Contains(lines, line)
	})
}

func TestEventsTellOfFindings(t *testing.T) {
	s := newSpace(t, "eventful", "probity.dev/mode=warn")
	s.Eventually("warnings", func(context.Context) bool {
		_, stderr := s.Admin(deployment("orders", asksDatabase), "create", "--dry-run=server", "-f", "-")
		return strings.Contains(stderr, "[liveness-dependency-path]")
	})
	if lines, _ := s.events(); len(lines) != 0 {
		t.Errorf("a dry run made %v", lines)
	}
	s.Admin(deployment("orders", asksDatabase), "create", "-f", "-")
	s.tells("Warning ProbeWouldBeRefused Deployment orders [liveness-dependency-path]")

	t.Run("kubectl describe shows it", func(t *testing.T) {
		s := space{s.In(t)}
		described, _ := s.Admin("", "describe", "deployment", "orders")
		if !strings.Contains(described, "ProbeWouldBeRefused") {
			t.Errorf("got %s", described)
		}
	})
	t.Run("what was refused stands in its namespace", func(t *testing.T) {
		s := space{s.In(t)}
		s.Label("probity.dev/mode=enforce")
		s.enforced()
		if _, err := s.try(deployment("cart", asksDatabase), "create", "-f", "-"); err == nil {
			t.Fatal("it was created")
		}
		s.Eventually("the Event of a refusal", func(context.Context) bool {
			out, _ := s.Admin("", "get", "events", "--field-selector", "type=Warning,reason=ProbeRefused")
			return strings.Contains(out, "deployment/cart")
		})
	})
	t.Run("what repeats is counted, and an old fault is no Warning", func(t *testing.T) {
		s := space{s.In(t)}
		for _, image := range []string{"app:2", "app:3"} {
			s.Admin("", "set", "image", "deployment/orders", "app="+image)
		}
		s.Eventually("the count", func(context.Context) bool {
			_, items := s.events()
			return slices.ContainsFunc(items, func(e corev1.Event) bool {
				return e.InvolvedObject.Name == "orders" && e.Reason == "ProbeFinding" && e.Count == 2
			})
		})
	})
	t.Run("none in audit", func(t *testing.T) {
		s := space{s.In(t)}
		quiet := newSpace(t, "quiet", "probity.dev/mode=audit")
		audited := map[string]string{"mode": "audit"}
		before := metric(t, "probity_admission_decisions_total", audited)
		s.Eventually("mode audit", func(context.Context) bool {
			quiet.Admin(deployment("orders", asksDatabase), "apply", "-f", "-")
			quiet.Admin("", "delete", "deployment", "orders")
			return metric(t, "probity_admission_decisions_total", audited) > before
		})
		// A later Event of elsewhere shows that the queue has been worked off.
		if _, err := s.try(deployment("last", asksDatabase), "create", "-f", "-"); err == nil {
			t.Fatal("it was created")
		}
		s.tells("Warning ProbeRefused Deployment last [liveness-dependency-path]")
		if lines, _ := quiet.events(); len(lines) != 0 {
			t.Errorf("mode audit made %v", lines)
		}
	})
	if failed := metric(t, "probity_events_total", map[string]string{"result": "failure"}); failed != 0 {
		t.Errorf("%v Events could not be written", failed)
	}
}
