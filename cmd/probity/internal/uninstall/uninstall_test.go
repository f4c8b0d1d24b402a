package uninstall

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func of(namespace, name string, labels ...string) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "uid", Labels: map[string]string{}}
	for _, l := range labels {
		key, value, _ := strings.Cut(l, "=")
		m.Labels[key] = value
	}
	return m
}

const (
	part    = "app.kubernetes.io/part-of=probity"
	managed = "app.kubernetes.io/managed-by=probity"
)

// cluster has Probity, and other things.
func cluster() *fake.ClientBuilder {
	made := of("shop", "probity-deployment-web", managed)
	yes := true
	made.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "u", Controller: &yes}}
	copied := of("shop", "copy", managed)
	copied.OwnerReferences = made.OwnerReferences
	return fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: of("", "probity", part)},
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: of("", "probity", part)},
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: of("", "mesh")},
		&appsv1.Deployment{ObjectMeta: of("probity-system", "probity", part)},
		&appsv1.Deployment{ObjectMeta: of("shop", "web")},
		&policyv1.PodDisruptionBudget{ObjectMeta: made},
		&policyv1.PodDisruptionBudget{ObjectMeta: copied},
		&policyv1.PodDisruptionBudget{ObjectMeta: of("shop", "own")},
		&policyv1.PodDisruptionBudget{ObjectMeta: of("probity-system", "probity", part)},
		&rbacv1.ClusterRole{ObjectMeta: of("", "probity", part)},
		&corev1.Namespace{ObjectMeta: of("", "probity-system", part)},
		&corev1.Namespace{ObjectMeta: of("", "shop")},
	)
}

func TestWhatIsRemovedAndInWhichOrder(t *testing.T) {
	madeOnly := []string{
		"ValidatingWebhookConfiguration probity", "MutatingWebhookConfiguration probity",
		"Deployment probity-system/probity", "PodDisruptionBudget shop/probity-deployment-web",
	}
	rest := []string{"ClusterRole probity", "PodDisruptionBudget probity-system/probity", "Namespace probity-system"}
	for _, all := range []bool{false, true} {
		want := madeOnly
		if all {
			want = append(want[:len(want):len(want)], rest...)
		}
		c := cluster().Build()
		for _, dry := range []bool{true, true, false} {
			var out bytes.Buffer
			r := Run(t.Context(), Options{Client: c, Namespace: "probity-system", All: all, DryRun: dry, Out: &out})
			did := map[bool]string{true: "would delete ", false: "deleted "}[dry]
			expected := did + strings.Join(want, "\n"+did) + "\n"
			if diff := cmp.Diff(expected, out.String()); diff != "" || r.Removed != len(want) || len(r.Failed) > 0 {
				t.Errorf("all=%t, dry=%t: %d removed, %v failed:\n%s", all, dry, r.Removed, r.Failed, diff)
			}
		}
		var out bytes.Buffer
		if r := Run(t.Context(), Options{Client: c, Namespace: "probity-system", All: all, Out: &out}); r.Removed != 0 || out.Len() != 0 || len(r.Failed) > 0 {
			t.Errorf("a second run: %v %s", r, out.String())
		}
	}
}

func TestAProgramThatIsElsewhereIsTold(t *testing.T) {
	for namespace, want := range map[string]bool{"probity-system": false, "shop": true} {
		r := Run(t.Context(), Options{Client: cluster().Build(), Namespace: namespace, DryRun: true, Out: &bytes.Buffer{}})
		if r.NoProgram != want || r.Removed == 0 {
			t.Errorf("in %s: %+v", namespace, r)
		}
	}
}

func TestWhatFailsHoldsUpNothing(t *testing.T) {
	c := cluster().WithInterceptorFuncs(interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, options ...client.DeleteOption) error {
			if o.GetName() == "probity" && o.GetObjectKind().GroupVersionKind().Kind == "ValidatingWebhookConfiguration" {
				return errors.New("no")
			}
			return c.Delete(ctx, o, options...)
		},
	}).Build()
	var out bytes.Buffer
	r := Run(t.Context(), Options{Client: c, Namespace: "probity-system", Out: &out})
	if r.Removed != 3 || len(r.Failed) != 1 || r.Failed[0].Error() != "delete ValidatingWebhookConfiguration probity: no" {
		t.Errorf("%d removed, failed %v", r.Removed, r.Failed)
	}
}
