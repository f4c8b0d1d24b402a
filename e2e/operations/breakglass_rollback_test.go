package operations

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestBreakGlassForARollback(t *testing.T) {
	steps := blocks(t, "A rollback", 2)
	s := newSpace(t, "shop")
	for _, container := range []string{asksDatabase, asksItself} { // two revisions, the first one faulty
		s.Admin(deployment("orders", container), "apply", "-f", "-")
		s.Admin("", "rollout", "status", "deployment/orders", "--timeout=2m")
	}
	s.Label("probity.dev/mode=enforce")
	s.enforced()
	if stderr, err := s.try("", "rollout", "undo", "deployment", "orders"); err == nil || !strings.Contains(stderr, "[liveness-dependency-path]") {
		t.Errorf("without an exemption: %v %s", err, stderr)
	}
	d := newDesk(t)
	if out := d.run(t, steps[0]); !strings.Contains(out, "deployment.apps/orders rolled back") {
		t.Errorf("it says %q", out)
	}

	// A mended release leaves the exemption where it is, and going back ends it.
	s.Admin(deployment("orders", asksItself), "apply", "-f", "-")
	if left := exemptions(s.orders().Annotations); len(left) == 0 {
		t.Error("a release has ended the exemption: the page says that it stays")
	}
	d.run(t, steps[1])
	if left := exemptions(s.orders().Annotations); len(left) > 0 {
		t.Errorf("going back leaves %q on the Deployment", left)
	}
	if left := exemptions(s.revisions()...); len(left) > 0 {
		t.Errorf("going back leaves %q on the ReplicaSets", left)
	}
	if stderr, err := s.try(deployment("orders", asksDatabase), "apply", "-f", "-"); err == nil || !strings.Contains(stderr, "[liveness-dependency-path]") {
		t.Errorf("after going back the fault comes in again: %v %s", err, stderr)
	}
}

// orders is the Deployment of that name.
func (s space) orders() *appsv1.Deployment {
	s.T.Helper()
	d, err := s.Client.AppsV1().Deployments(s.Name).Get(s.T.Context(), "orders", metav1.GetOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	return d
}

// revisions are the annotations of all ReplicaSets.
func (s space) revisions() (annotations []map[string]string) {
	s.T.Helper()
	sets, err := s.Client.AppsV1().ReplicaSets(s.Name).List(s.T.Context(), metav1.ListOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	for i := range sets.Items {
		annotations = append(annotations, sets.Items[i].Annotations)
	}
	return annotations
}

// exemptions are those among annotations that are about exemptions.
func exemptions(annotations ...map[string]string) (keys []string) {
	for _, of := range annotations {
		for key := range of {
			if strings.HasPrefix(key, "probity.dev/exempt") {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
