package budget

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestABudgetIsMade(t *testing.T) {
	s := newSpace(t, enforce)
	s.apply(deployment("web", 3))
	b := s.made("web")
	d, err := s.Client.AppsV1().Deployments(s.Name).Get(t.Context(), "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	share, always, yes, no := intstr.FromString("10%"), policyv1.AlwaysAllow, true, false
	want := policyv1.PodDisruptionBudgetSpec{
		MaxUnavailable: &share, UnhealthyPodEvictionPolicy: &always, Selector: d.Spec.Selector,
	}
	if diff := cmp.Diff(want, b.Spec); diff != "" {
		t.Error(diff)
	}
	owner := []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: d.UID, Controller: &yes, BlockOwnerDeletion: &no}}
	if diff := cmp.Diff(owner, b.OwnerReferences); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"app.kubernetes.io/managed-by": "probity"}, b.Labels); diff != "" {
		t.Error(diff)
	}
	if m := b.ManagedFields[0]; m.Manager != "probity-budgets" || m.Operation != metav1.ManagedFieldsOperationApply {
		t.Errorf("fields are managed by %s, by %s", m.Manager, m.Operation)
	}
	s.Eventually("an event that tells of it", func(ctx context.Context) bool {
		events, err := s.Client.EventsV1().Events(s.Name).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false
		}
		for _, e := range events.Items {
			if e.Reason == "BudgetMade" && e.Regarding.Name == "web" && e.Regarding.UID == d.UID {
				return e.Note == "Made PodDisruptionBudget probity-deployment-web with maxUnavailable 10%"
			}
		}
		return false
	})
	s.Admin("", "delete", "deployment", "web")
	s.gone() // the garbage collector's work
}

func TestAStatefulSetHasOneToo(t *testing.T) {
	s := newSpace(t, enforce)
	s.apply(strings.NewReplacer("kind: Deployment", "kind: StatefulSet", "replicas: 3", "serviceName: db\n  replicas: 3").Replace(deployment("db", 3)))
	s.Eventually("the budget", func(context.Context) bool {
		_, ok := s.named("probity-statefulset-db")
		return ok
	})
}
