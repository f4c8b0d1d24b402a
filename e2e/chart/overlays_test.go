package chart

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	psa "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/workload"
)

// ways are all that one may apply: the overlays and the components, alone and
// together.
func ways(t *testing.T) map[string]objects {
	t.Helper()
	folders, err := filepath.Glob(manifests + "/*/kustomization.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]objects{}
	for _, f := range folders {
		name := filepath.Base(filepath.Dir(f))
		if all[name], err = parse(kustomize(t, overlay(name, ""))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"network policy", "all at once"} {
		if all[name], err = parse(kustomize(t, pairs[name].kustomization)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"base", "cluster-wide", "audit-only", "fail-closed", "cert-manager"} {
		if all[name] == nil {
			t.Errorf("manifests/%s is not there", name)
		}
	}
	return all
}

func TestEveryWayToInstallKeepsToTheStrictProfile(t *testing.T) {
	policy := validate.MustPolicy(validate.Strict)
	for way, all := range ways(t) {
		judged := 0
		for name, o := range all {
			data, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := workload.DefaultKinds().Decode(data)
			if err != nil {
				t.Fatalf("%s: %s: %v", way, name, err)
			}
			if decoded.Workload == nil {
				continue
			}
			judged++
			for _, problem := range decoded.Workload.Problems {
				t.Errorf("%s: %s: %s", way, name, problem)
			}
			for _, finding := range validate.Evaluate(decoded.Workload, policy) {
				t.Errorf("%s: %s: %s", way, name, &finding)
			}
		}
		if judged == 0 && all["Namespace "+namespace] != nil {
			t.Errorf("%s: no workload was judged", way)
		}
	}
}

func TestEveryPodIsRestrictedInTheSenseOfPodSecurity(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	level := psa.LevelVersion{Level: psa.LevelRestricted, Version: psa.LatestVersion()}
	for way, all := range ways(t) {
		for name, o := range all {
			if o["kind"] != "Deployment" {
				continue
			}
			d := convert[appsv1.Deployment](t, o)
			result := policy.AggregateCheckResults(evaluator.EvaluatePod(level, &d.Spec.Template.ObjectMeta, &d.Spec.Template.Spec))
			if !result.Allowed {
				t.Errorf("%s: %s: %s", way, name, result.ForbiddenDetail())
			}
		}
	}
}

func TestEveryConfigurationFileIsSound(t *testing.T) {
	for way, all := range ways(t) {
		o := all["ConfigMap probity"]
		if o == nil {
			continue
		}
		data, ok := o["data"].(map[string]any)
		text, isText := data["config.yaml"].(string)
		if !ok || !isText {
			t.Errorf("%s: the ConfigMap has no config.yaml", way)
			continue
		}
		file := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := config.Load(file); err != nil {
			t.Errorf("%s: %v", way, err)
		}
	}
}

// hook is what both kinds of webhooks have in common.
type hook struct {
	name     string
	failure  admissionregistrationv1.FailurePolicyType
	selector *metav1.LabelSelector
}

func hooks(t *testing.T, all objects) []hook {
	t.Helper()
	var found []hook
	if o := all["ValidatingWebhookConfiguration probity"]; o != nil {
		for _, w := range convert[admissionregistrationv1.ValidatingWebhookConfiguration](t, o).Webhooks {
			found = append(found, hook{w.Name, *w.FailurePolicy, w.NamespaceSelector})
		}
	}
	if o := all["MutatingWebhookConfiguration probity"]; o != nil {
		for _, w := range convert[admissionregistrationv1.MutatingWebhookConfiguration](t, o).Webhooks {
			found = append(found, hook{w.Name, *w.FailurePolicy, w.NamespaceSelector})
		}
	}
	return found
}

// optedIn says whether the webhook asks for the label; the one for Namespaces
// looks at those that are about to get it.
func (h hook) optedIn() bool {
	return slices.ContainsFunc(h.selector.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool {
		return r.Key == "probity.dev/mode" && r.Operator == metav1.LabelSelectorOpExists
	})
}

// A webhook that somebody adds to the base must be known to the overlays.
func TestClusterWideWaysAskForNoLabel(t *testing.T) {
	all := ways(t)
	for _, way := range []string{"cluster-wide", "audit-only", "all at once"} {
		for _, h := range hooks(t, all[way]) {
			if h.optedIn() {
				t.Errorf("%s: webhook %s still asks for the label probity.dev/mode; say its namespaceSelector in manifests/components/cluster-wide", way, h.name)
			}
		}
	}
}

func TestNoWayTouchesWhatMustComeUpFirst(t *testing.T) {
	for way, all := range ways(t) {
		for _, h := range hooks(t, all) {
			excluded := slices.ContainsFunc(h.selector.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool {
				return r.Key == corev1.LabelMetadataName && r.Operator == metav1.LabelSelectorOpNotIn &&
					slices.Equal(r.Values, []string{"kube-system", "kube-node-lease", namespace})
			})
			if !excluded {
				t.Errorf("%s: webhook %s reaches kube-system, kube-node-lease or Probity's own namespace", way, h.name)
			}
		}
	}
}

// The label is the way out of an outage, so its webhook never fails closed.
func TestOnlyTheJudgementOfWorkloadsFailsClosed(t *testing.T) {
	all := ways(t)
	for _, way := range []string{"fail-closed", "all at once"} {
		for _, h := range hooks(t, all[way]) {
			want := admissionregistrationv1.Ignore
			if h.name == "workloads.validate.probity.dev" {
				want = admissionregistrationv1.Fail
			}
			if h.failure != want {
				t.Errorf("%s: webhook %s has failurePolicy %s, want %s", way, h.name, h.failure, want)
			}
		}
	}
}

// With cert-manager nothing of the certificate is Probity's to write.
func TestWithCertManagerNoSecretIsWritten(t *testing.T) {
	for _, kind := range []string{"Role", "ClusterRole"} {
		o := ways(t)["cert-manager"][kind+" probity-certificates"]
		text, err := yaml.Marshal(o["rules"])
		if err != nil {
			t.Fatal(err)
		}
		var rules []struct{ Verbs []string }
		if err := yaml.Unmarshal(text, &rules); err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			for _, verb := range r.Verbs {
				if verb != "get" && verb != "list" && verb != "watch" {
					t.Errorf("%s may %s", kind, verb)
				}
			}
		}
	}
}

func convert[T any](t *testing.T, o map[string]any) *T {
	t.Helper()
	typed := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o, typed, true); err != nil {
		t.Fatal(fmt.Errorf("%v: %w", o["kind"], err))
	}
	return typed
}
