package operations

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// eventsIn are the Events of Probity in a namespace, a line each.
func eventsIn(t *testing.T, namespace string) (lines []string, items []corev1.Event) {
	t.Helper()
	list, err := newClient(t).CoreV1().Events(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
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

func TestEventsTellOfFindings(t *testing.T) {
	newNamespace(t, "eventful", "probity.dev/mode=warn")
	eventually(t, "warnings", func(context.Context) bool {
		_, stderr := mustKubectl(t, deployment("orders", asksDatabase), "-n", "eventful", "create", "--dry-run=server", "-f", "-")
		return strings.Contains(stderr, "[liveness-dependency-path]")
	})
	if lines, _ := eventsIn(t, "eventful"); len(lines) != 0 {
		t.Errorf("a dry run made %v", lines)
	}
	mustKubectl(t, deployment("orders", asksDatabase), "-n", "eventful", "create", "-f", "-")
	would := "Warning ProbeWouldBeRefused Deployment orders [liveness-dependency-path]"
	eventually(t, "the Event of a finding", func(context.Context) bool {
		lines, _ := eventsIn(t, "eventful")
		return slices.Contains(lines, would)
	})

	t.Run("kubectl describe shows it", func(t *testing.T) {
		described, _ := mustKubectl(t, "", "-n", "eventful", "describe", "deployment", "orders")
		if !strings.Contains(described, "ProbeWouldBeRefused") {
			t.Errorf("got %s", described)
		}
	})
	t.Run("what was refused stands in its namespace", func(t *testing.T) {
		mustKubectl(t, "", "label", "--overwrite", "namespace", "eventful", "probity.dev/mode=enforce")
		enforced(t, "eventful")
		if _, _, err := kubectl(t, deployment("cart", asksDatabase), "-n", "eventful", "create", "-f", "-"); err == nil {
			t.Fatal("it was created")
		}
		eventually(t, "the Event of a refusal", func(context.Context) bool {
			out, _ := mustKubectl(t, "", "-n", "eventful", "get", "events", "--field-selector", "type=Warning,reason=ProbeRefused")
			return strings.Contains(out, "deployment/cart")
		})
	})
	t.Run("what repeats is counted, and an old fault is no Warning", func(t *testing.T) {
		for _, image := range []string{"app:2", "app:3"} {
			mustKubectl(t, "", "-n", "eventful", "set", "image", "deployment/orders", "app="+image)
		}
		eventually(t, "the count", func(context.Context) bool {
			_, items := eventsIn(t, "eventful")
			return slices.ContainsFunc(items, func(e corev1.Event) bool {
				return e.InvolvedObject.Name == "orders" && e.Reason == "ProbeFinding" && e.Count == 2
			})
		})
	})
	t.Run("none in audit", func(t *testing.T) {
		newNamespace(t, "quiet", "probity.dev/mode=audit")
		before := metric(t, "probity_admission_decisions_total", "mode", "audit")
		eventually(t, "mode audit", func(context.Context) bool {
			mustKubectl(t, deployment("orders", asksDatabase), "-n", "quiet", "apply", "-f", "-")
			mustKubectl(t, "", "-n", "quiet", "delete", "deployment", "orders")
			return metric(t, "probity_admission_decisions_total", "mode", "audit") > before
		})
		// A later Event of elsewhere shows that the queue has been worked off.
		if _, _, err := kubectl(t, deployment("last", asksDatabase), "-n", "eventful", "create", "-f", "-"); err == nil {
			t.Fatal("it was created")
		}
		eventually(t, "a later Event", func(context.Context) bool {
			lines, _ := eventsIn(t, "eventful")
			return slices.Contains(lines, "Warning ProbeRefused Deployment last [liveness-dependency-path]")
		})
	})
	if lines, _ := eventsIn(t, "quiet"); len(lines) != 0 {
		t.Errorf("mode audit made %v", lines)
	}
	if diff := cmp.Diff(0.0, metric(t, "probity_events_total", "result", "failure")); diff != "" {
		t.Error("failures:", diff)
	}
}
