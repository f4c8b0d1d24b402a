package manifests

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// kustomization is what the tests read of kustomization.yaml.
type kustomization struct {
	Resources []string `json:"resources"`
	Images    []struct {
		Name string `json:"name"`
	} `json:"images"`
}

func readKustomization(t *testing.T) kustomization {
	t.Helper()
	text, err := os.ReadFile("base/kustomization.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var k kustomization
	if err := yaml.Unmarshal(text, &k); err != nil {
		t.Fatal(err)
	}
	return k
}

// documents returns every object of base as JSON.
func documents(t *testing.T) [][]byte {
	t.Helper()
	var all [][]byte
	for _, name := range readKustomization(t).Resources {
		text, err := os.ReadFile(filepath.Join("base", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range strings.Split(string(text), "\n---\n") {
			data, err := yaml.YAMLToJSONStrict([]byte(document))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, data)
		}
	}
	return all
}

// objects decodes every object; an unknown field is an error.
func objects(t *testing.T) []runtime.Object {
	t.Helper()
	decoder := serializer.NewCodecFactory(clientgoscheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var all []runtime.Object
	for _, data := range documents(t) {
		object, _, err := decoder.Decode(data, nil, nil)
		if err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		all = append(all, object)
	}
	return all
}

func of[T runtime.Object](t *testing.T) T {
	t.Helper()
	for _, object := range objects(t) {
		if o, ok := object.(T); ok {
			return o
		}
	}
	var none T
	t.Fatalf("no %T", none)
	return none
}

func TestEveryManifestIsListedAndDecodesStrictly(t *testing.T) {
	files, err := filepath.Glob("base/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	listed := []string{"base/kustomization.yaml"}
	for _, name := range readKustomization(t).Resources {
		listed = append(listed, filepath.Join("base", name))
	}
	slices.Sort(listed)
	if diff := cmp.Diff(files, listed); diff != "" {
		t.Error(diff)
	}
	objects(t)
}

func TestWorkloadsPassTheStrictProfile(t *testing.T) {
	kinds, policy := workload.DefaultKinds(), validate.MustPolicy(validate.Strict)
	judged := 0
	for _, data := range documents(t) {
		object, err := kinds.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if object.Workload == nil {
			continue
		}
		judged++
		for _, problem := range object.Workload.Problems {
			t.Errorf("%s: %s", object.Ref, problem)
		}
		for _, finding := range validate.Evaluate(object.Workload, policy) {
			t.Errorf("%s: %s", object.Ref, &finding)
		}
	}
	if judged != 1 {
		t.Errorf("%d workloads were judged, want the Deployment", judged)
	}
}

func TestTheImageIsNamedInOnePlace(t *testing.T) {
	images := readKustomization(t).Images
	if len(images) != 1 {
		t.Fatalf("%d images, want 1", len(images))
	}
	for _, data := range documents(t) {
		object, err := workload.DefaultKinds().Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if object.Workload == nil {
			continue
		}
		for _, c := range object.Workload.Pod.Containers {
			if c.Image != images[0].Name {
				t.Errorf("%s: container %s has image %q, want %q, which kustomization.yaml replaces", object.Ref, c.Name, c.Image, images[0].Name)
			}
		}
	}
}

func TestEveryPermissionIsNarrowAndHasItsReason(t *testing.T) {
	made := []string{"reports", "policyreports", "poddisruptionbudgets"} // by Probity, which may also take it away
	for _, rule := range permissions(t) {
		if slices.Contains(slices.Concat(rule.Verbs, rule.Resources, rule.APIGroups), "*") {
			t.Errorf("a wildcard: %v", rule)
		}
		for _, verb := range []string{"delete", "deletecollection", "escalate", "bind", "impersonate"} {
			own := verb == "delete" && len(rule.Resources) == 1 && slices.Contains(made, rule.Resources[0])
			if slices.Contains(rule.Verbs, verb) && !own {
				t.Errorf("verb %s: %v", verb, rule)
			}
		}
	}
	files, err := filepath.Glob("*/rbac*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	components, err := filepath.Glob("components/*/rbac*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, components...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, verb := range regexp.MustCompile(`(?m)^      - (get|list|watch|create|update|patch)$`).FindAllString(string(text), -1) {
			t.Errorf("%s: %q has no comment that says why", file, strings.TrimSpace(verb))
		}
	}
}

// promises is what every webhook has in common.
type promises struct {
	FailurePolicy  admissionregistrationv1.FailurePolicyType
	MatchPolicy    admissionregistrationv1.MatchPolicyType
	SideEffects    admissionregistrationv1.SideEffectClass
	TimeoutSeconds int32
	Reviews        []string
	Service        string
	Path           string
	Excluded       []string // namespaces
}

func promisesOf(failure *admissionregistrationv1.FailurePolicyType, match *admissionregistrationv1.MatchPolicyType, effects *admissionregistrationv1.SideEffectClass,
	timeout *int32, reviews []string, client admissionregistrationv1.WebhookClientConfig, namespaces *metav1.LabelSelector,
) promises {
	p := promises{*failure, *match, *effects, *timeout, reviews, client.Service.Namespace + "/" + client.Service.Name, *client.Service.Path, nil}
	for _, e := range namespaces.MatchExpressions {
		if e.Key == "kubernetes.io/metadata.name" && e.Operator == metav1.LabelSelectorOpNotIn {
			p.Excluded = e.Values
		}
	}
	return p
}

func TestNoWebhookCanHoldUpTheCluster(t *testing.T) {
	want := func(path string) promises {
		return promises{
			admissionregistrationv1.Ignore, admissionregistrationv1.Equivalent, admissionregistrationv1.SideEffectClassNone, 2,
			[]string{"v1"},
			"probity-system/probity", path,
			[]string{"kube-system", "kube-node-lease", "probity-system"},
		}
	}
	var rules []admissionregistrationv1.RuleWithOperations
	for _, w := range of[*admissionregistrationv1.ValidatingWebhookConfiguration](t).Webhooks {
		got := promisesOf(w.FailurePolicy, w.MatchPolicy, w.SideEffects, w.TimeoutSeconds, w.AdmissionReviewVersions, w.ClientConfig, w.NamespaceSelector)
		if diff := cmp.Diff(want("/validate"), got); diff != "" {
			t.Errorf("%s:\n%s", w.Name, diff)
		}
		rules = append(rules, w.Rules...)
	}
	for _, w := range of[*admissionregistrationv1.MutatingWebhookConfiguration](t).Webhooks {
		got := promisesOf(w.FailurePolicy, w.MatchPolicy, w.SideEffects, w.TimeoutSeconds, w.AdmissionReviewVersions, w.ClientConfig, w.NamespaceSelector)
		if diff := cmp.Diff(want("/mutate"), got); diff != "" {
			t.Errorf("%s:\n%s", w.Name, diff)
		}
		rules = append(rules, w.Rules...)
	}
	for _, rule := range rules {
		for _, operation := range rule.Operations {
			if operation != admissionregistrationv1.Create && operation != admissionregistrationv1.Update {
				t.Errorf("operation %s of %v", operation, rule.Resources)
			}
		}
		for _, resource := range rule.Resources {
			if strings.ContainsAny(resource, "*/") {
				t.Errorf("resource %q: subresources and unknown kinds are never touched", resource)
			}
		}
	}
}

// Both configurations must leave the same writers alone: what is injected into
// a template and not into its pods would else differ, and the other way round.
func TestBothConfigurationsSkipTheSameWriters(t *testing.T) {
	validating := of[*admissionregistrationv1.ValidatingWebhookConfiguration](t).Webhooks[0].MatchConditions[:3]
	mutating := of[*admissionregistrationv1.MutatingWebhookConfiguration](t).Webhooks[0].MatchConditions[:3]
	if diff := cmp.Diff(validating, mutating); diff != "" {
		t.Error(diff)
	}
}

// The kinds in the rules are those that Probity can read.
func TestRulesNameTheKindsThatProbityReads(t *testing.T) {
	kinds := map[string][2]string{
		"pods": {"v1", "Pod"}, "replicationcontrollers": {"v1", "ReplicationController"},
		"replicasets": {"apps/v1", "ReplicaSet"}, "deployments": {"apps/v1", "Deployment"},
		"statefulsets": {"apps/v1", "StatefulSet"}, "daemonsets": {"apps/v1", "DaemonSet"},
		"jobs": {"batch/v1", "Job"}, "cronjobs": {"batch/v1", "CronJob"},
		"rollouts": {"argoproj.io/v1alpha1", "Rollout"},
	}
	judged := map[string]bool{}
	for _, rule := range of[*admissionregistrationv1.ValidatingWebhookConfiguration](t).Webhooks[0].Rules {
		for _, resource := range rule.Resources {
			kind, ok := kinds[resource]
			judged[resource] = ok && workload.DefaultKinds().Judged(kind[0], kind[1])
		}
	}
	want := map[string]bool{}
	for resource := range kinds {
		want[resource] = true
	}
	if diff := cmp.Diff(want, judged); diff != "" {
		t.Error(diff)
	}
}
