package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// The match conditions of manifests/base, evaluated by the API server's own
// code. What calls they let through on a running API server is tested elsewhere;
// here is every kind and every case, cheaply.

// hooks are the entries under test.
type hooks struct {
	workloads, namespaces, budgets *admissionregistrationv1.ValidatingWebhook
	startup                        *admissionregistrationv1.MutatingWebhook
}

func readHooks(t *testing.T) hooks {
	t.Helper()
	var validating admissionregistrationv1.ValidatingWebhookConfiguration
	var mutating admissionregistrationv1.MutatingWebhookConfiguration
	for path, into := range map[string]any{
		"../manifests/base/validating.yaml": &validating,
		"../manifests/base/mutating.yaml":   &mutating,
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(text, into); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return hooks{&validating.Webhooks[0], &validating.Webhooks[2], &validating.Webhooks[1], &mutating.Webhooks[0]}
}

// matchers are compiled for one version of Kubernetes.
type matchers struct{ workloads, namespaces, budgets, startup matchconditions.Matcher }

// compile makes every failure to evaluate an error: in a cluster it would be
// a call that is silently not made.
func compile(t *testing.T, minor uint) matchers {
	t.Helper()
	// An API server takes new expressions of the version before its own, so
	// that it can be rolled back.
	compiler := cel.NewConditionCompiler(environment.MustBaseEnvSet(version.MajorMinor(1, minor-1)))
	matcher := func(conditions []admissionregistrationv1.MatchCondition) matchconditions.Matcher {
		var expressions []cel.ExpressionAccessor
		for _, c := range conditions {
			expressions = append(expressions, &matchconditions.MatchCondition{Name: c.Name, Expression: c.Expression})
		}
		evaluator := compiler.CompileCondition(expressions, cel.OptionalVariableDeclarations{HasAuthorizer: true}, environment.NewExpressions)
		fail := admissionregistrationv1.Fail
		return matchconditions.NewMatcher(evaluator, &fail, "webhook", "", "probity")
	}
	h := readHooks(t)
	return matchers{matcher(h.workloads.MatchConditions), matcher(h.namespaces.MatchConditions), matcher(h.budgets.MatchConditions), matcher(h.startup.MatchConditions)}
}

// review is a request as an API server hands it to the conditions.
type review struct {
	object, old string // YAML; old is empty on CREATE
	user        string // a person when empty
	groups      []string
}

// decode returns the object as the API server holds it: typed for built-in
// kinds, without types for others.
func decode(t *testing.T, text string) runtime.Object {
	t.Helper()
	if text == "" {
		return nil
	}
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	typed, err := scheme.Scheme.New(u.GroupVersionKind())
	if err != nil {
		return u
	}
	if err := yaml.UnmarshalStrict([]byte(text), typed); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return typed
}

// skippedBy returns the condition that keeps the call from being made, "called"
// when none does.
func (r review) skippedBy(t *testing.T, m matchconditions.Matcher) string {
	t.Helper()
	object, old := decode(t, r.object), decode(t, r.old)
	operation := admission.Create
	if old != nil {
		operation = admission.Update
	}
	info := &user.DefaultInfo{Name: r.user, Groups: append(r.groups, "system:authenticated")}
	if r.user == "" {
		info.Name = "jane"
	}
	kind := object.GetObjectKind().GroupVersionKind()
	resource := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: strings.ToLower(kind.Kind) + "s"}
	attributes := admission.NewAttributesRecord(object, old, kind, "shop", "orders", resource, "", operation, nil, false, info)
	versioned, err := admission.NewVersionedAttributes(attributes, kind, nil) // They are of that kind already.
	if err != nil {
		t.Fatal(err)
	}
	result := m.Match(t.Context(), versioned, nil, nil)
	switch {
	case result.Error != nil:
		return result.Error.Error()
	case result.Matches:
		return "called"
	}
	return result.FailedConditionName
}

// Fragments of pod specs, as they stand below "spec:".
const (
	live      = "{name: app, image: app, livenessProbe: {httpGet: {path: /livez, port: 80}}}"
	liveReady = "{name: app, image: app, livenessProbe: {httpGet: {path: /livez, port: 80}}, readinessProbe: {httpGet: {path: /readyz, port: 80}}}"
	complete  = "{name: app, image: app, livenessProbe: {httpGet: {path: /livez, port: 80}}, startupProbe: {httpGet: {path: /livez, port: 80}}}"
	ready     = "{name: app, image: app, readinessProbe: {httpGet: {path: /readyz, port: 80}}}"
)

// of returns an object of that kind whose pods have these containers.
func of(kind, containers string, edits ...string) string {
	form := map[string]string{
		"Pod":                   "apiVersion: v1\nspec: {containers: [CONTAINERS]}",
		"ReplicationController": "apiVersion: v1\nspec: {replicas: 1, template: {spec: {containers: [CONTAINERS]}}}",
		"ReplicaSet":            "apiVersion: apps/v1\nspec: {replicas: 1, template: {spec: {containers: [CONTAINERS]}}}",
		"Deployment":            "apiVersion: apps/v1\nspec: {replicas: 1, paused: false, template: {metadata: {labels: {app: orders}}, spec: {containers: [CONTAINERS]}}}",
		"StatefulSet":           "apiVersion: apps/v1\nspec: {replicas: 1, serviceName: orders, template: {spec: {containers: [CONTAINERS]}}}",
		"DaemonSet":             "apiVersion: apps/v1\nspec: {template: {spec: {containers: [CONTAINERS]}}}",
		"Job":                   "apiVersion: batch/v1\nspec: {template: {spec: {containers: [CONTAINERS]}}}",
		"CronJob":               "apiVersion: batch/v1\nspec: {schedule: '0 * * * *', jobTemplate: {spec: {template: {spec: {containers: [CONTAINERS]}}}}}",
		"Rollout":               "apiVersion: argoproj.io/v1alpha1\nspec: {replicas: 1, template: {spec: {containers: [CONTAINERS]}}}",
	}[kind]
	text := "kind: " + kind + "\nmetadata: {name: orders, namespace: shop}\n" + strings.Replace(form, "CONTAINERS", containers, 1)
	return edit(text, edits...)
}

// edit replaces the first of each pair by the second.
func edit(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}

const (
	metadata = "namespace: shop}"
	account  = "system:serviceaccount:kube-system:"
)

func withMetadata(more string) []string { return []string{metadata, "namespace: shop, " + more + "}"} }

func TestEveryKindIsJudgedWhenItIsMadeAndWhenItsProbesChange(t *testing.T) {
	kinds := []string{"Pod", "Job", "ReplicationController", "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "CronJob", "Rollout"}
	for _, minor := range []uint{34, 37} {
		m := compile(t, minor)
		got, want := map[string][]string{}, map[string][]string{}
		for _, kind := range kinds {
			got[kind] = []string{
				review{object: of(kind, live)}.skippedBy(t, m.workloads),
				review{object: of(kind, live)}.skippedBy(t, m.startup),
			}
			want[kind] = []string{"called", "called"}
			if kind == "CronJob" {
				want[kind][1] = "lacks-a-startup-probe" // Its rules leave it out; this is merely safe.
			}
			if kind == "Pod" || kind == "Job" {
				continue // Only CREATE is in the rules.
			}
			got[kind] = append(got[kind],
				review{object: of(kind, liveReady), old: of(kind, live)}.skippedBy(t, m.workloads),
				review{object: of(kind, live, withMetadata("labels: {team: blue}")...), old: of(kind, live)}.skippedBy(t, m.workloads),
				review{object: of(kind, live, withMetadata("labels: {team: blue}")...), old: of(kind, live)}.skippedBy(t, m.startup),
			)
			want[kind] = append(want[kind], "called", "changes-what-rules-read", "changes-the-template")
			if kind == "CronJob" {
				want[kind][4] = "lacks-a-startup-probe"
			}
		}
		// Of several conditions that are false the first one is named.
		want["CronJob"][4] = "changes-the-template"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Kubernetes 1.%d:\n%s", minor, diff)
		}
	}
}

func TestWhichRequestsAreJudged(t *testing.T) {
	deployment := of("Deployment", live)
	for name, test := range map[string]struct {
		review
		want string
	}{
		"a person's pod":                                           {review{object: of("Pod", live)}, "called"},
		"a pod of the ReplicaSet controller":                       {review{object: of("Pod", live), user: account + "replicaset-controller"}, "not-by-a-controller"},
		"a pod of a controller manager without separate accounts":  {review{object: of("Pod", live), user: "system:kube-controller-manager"}, "not-by-a-controller"},
		"a pod of an account in kube-system that is no controller": {review{object: of("Pod", live), user: account + "addon"}, "called"},
		"an account of the same name elsewhere":                    {review{object: of("Pod", live), user: "system:serviceaccount:shop:replicaset-controller"}, "called"},
		"a mirror pod":                                             {review{object: of("Pod", live), user: "system:node:n1", groups: []string{"system:nodes"}}, "not-by-a-node"},
		"an object on its way out":                                 {review{object: of("Deployment", liveReady, withMetadata("deletionTimestamp: '2026-01-01T00:00:00Z'")...), old: deployment}, "not-on-its-way-out"},
		"the same object again":                                    {review{object: deployment, old: deployment}, "changes-what-rules-read"},
		"a scaled Deployment":                                      {review{object: edit(deployment, "replicas: 1", "replicas: 2"), old: deployment}, "called"},
		"a paused Deployment":                                      {review{object: edit(deployment, "paused: false", "paused: true"), old: deployment}, "changes-what-rules-read"},
		"another strategy":                                         {review{object: edit(deployment, "paused: false", "strategy: {type: Recreate}"), old: deployment}, "called"},
		"another progress deadline":                                {review{object: edit(deployment, "paused: false", "progressDeadlineSeconds: 60"), old: deployment}, "called"},
		"a restarted Deployment":                                   {review{object: edit(deployment, "{labels: {app: orders}}", "{labels: {app: orders}, annotations: {at: now}}"), old: deployment}, "called"},
		"an annotation of others":                                  {review{object: of("Deployment", live, withMetadata("annotations: {note: hello}")...), old: deployment}, "changes-what-rules-read"},
		"an exemption":                                             {review{object: of("Deployment", live, withMetadata("annotations: {probity.dev/exempt: liveness-window}")...), old: deployment}, "called"},
		"another exemption":                                        {review{object: of("Deployment", live, withMetadata("annotations: {probity.dev/exempt: a}")...), old: of("Deployment", live, withMetadata("annotations: {probity.dev/exempt: b}")...)}, "called"},
		"an exemption that is gone":                                {review{object: deployment, old: of("Deployment", live, withMetadata("annotations: {probity.dev/exempt-until: '2027-01-31'}")...)}, "called"},
		"the same exemption":                                       {review{object: of("Deployment", live, withMetadata("annotations: {probity.dev/exempt: a}, labels: {a: b}")...), old: of("Deployment", live, withMetadata("annotations: {probity.dev/exempt: a}")...)}, "changes-what-rules-read"},
		"a misspelt exemption":                                     {review{object: of("Deployment", live, withMetadata("annotations: {probity.dev/exempts: a}")...), old: deployment}, "called"},
		"a misspelt exemption that was there":                      {review{object: of("Deployment", live, withMetadata("annotations: {probity.dev/exempts: a, note: hello}")...), old: of("Deployment", live, withMetadata("annotations: {probity.dev/exempts: a}")...)}, "changes-what-rules-read"},
		"an exemption as a label":                                  {review{object: of("Deployment", live, withMetadata("labels: {probity.dev/exempt: a}")...), old: deployment}, "called"},
		"another update of a StatefulSet":                          {review{object: edit(of("StatefulSet", live), "serviceName: orders", "serviceName: orders, updateStrategy: {type: OnDelete}"), old: of("StatefulSet", live)}, "called"},
		"another schedule of a CronJob":                            {review{object: edit(of("CronJob", live), "'0 *", "'5 *"), old: of("CronJob", live)}, "changes-what-rules-read"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.skippedBy(t, compile(t, 37).workloads); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestWhichRequestsMayGetAStartupProbe(t *testing.T) {
	deployment := of("Deployment", live)
	sidecar := func(restartPolicy, probes string) string {
		return of("Deployment", ready, "containers:", "initContainers: [{name: proxy, "+restartPolicy+probes+"}], containers:")
	}
	const liveness = "livenessProbe: {httpGet: {path: /, port: 80}}"
	for name, test := range map[string]struct {
		review
		want string
	}{
		"liveness without startup":                  {review{object: deployment}, "called"},
		"liveness with startup":                     {review{object: of("Deployment", complete)}, "lacks-a-startup-probe"},
		"no liveness":                               {review{object: of("Deployment", ready)}, "lacks-a-startup-probe"},
		"the second container lacks it":             {review{object: of("Deployment", complete+", "+edit(live, "name: app", "name: worker"))}, "called"},
		"a native sidecar lacks it":                 {review{object: sidecar("restartPolicy: Always, ", liveness)}, "called"},
		"an init container that runs to an end":     {review{object: sidecar("", "image: proxy")}, "lacks-a-startup-probe"},
		"a pod without owner":                       {review{object: of("Pod", live)}, "called"},
		"a pod of a ReplicaSet, by its controller":  {review{object: of("Pod", live), user: account + "replicaset-controller"}, "not-by-a-controller"},
		"a pod of another controller":               {review{object: of("Pod", live, withMetadata("ownerReferences: [{apiVersion: example.com/v1, kind: Game, name: g, uid: u, controller: true}]")...), user: "system:serviceaccount:games:operator"}, "not-a-controlled-pod"},
		"a pod with an owner that does not control": {review{object: of("Pod", live, withMetadata("ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: c, uid: u}]")...)}, "called"},
		"a ReplicaSet of another controller":        {review{object: of("ReplicaSet", live, withMetadata("ownerReferences: [{apiVersion: example.com/v1, kind: Game, name: g, uid: u, controller: true}]")...)}, "called"},
		"a scaled Deployment":                       {review{object: edit(deployment, "replicas: 1", "replicas: 2"), old: deployment}, "changes-the-template"},
		"a new template":                            {review{object: of("Deployment", liveReady), old: deployment}, "called"},
		"a workload that declines":                  {review{object: of("Deployment", live, withMetadata("annotations: {probity.dev/inject: none}")...)}, "not-declined"},
		"a workload that wants a budget only":       {review{object: of("Deployment", live, withMetadata("annotations: {probity.dev/inject: budget}")...)}, "not-declined"},
		"a workload that asks for it":               {review{object: of("Deployment", live, withMetadata("annotations: {probity.dev/inject: startup}")...)}, "called"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.skippedBy(t, compile(t, 37).startup); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// A custom kind may hold anything: its schema is checked after the conditions.
func TestARolloutOfAnyShapeIsEvaluated(t *testing.T) {
	m := compile(t, 37)
	got := map[string][2]string{}
	want := map[string][2]string{}
	for name, spec := range map[string]string{
		"no spec":                      "",
		"null spec":                    "spec:",
		"empty spec":                   "spec: {}",
		"no template, as by reference": "spec: {workloadRef: {kind: Deployment, name: orders}}",
		"null template":                "spec: {template: }",
		"template without spec":        "spec: {template: {metadata: {}}}",
		"no containers":                "spec: {template: {spec: {}}}",
		"null containers":              "spec: {template: {spec: {containers: }}}",
	} {
		object := "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: orders, namespace: shop}\n" + spec
		r := review{object: object, old: of("Rollout", live)}
		got[name] = [2]string{r.skippedBy(t, m.workloads), review{object: object}.skippedBy(t, m.startup)}
		want[name] = [2]string{"called", "lacks-a-startup-probe"}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhichNamespacesAreLookedAt(t *testing.T) {
	m := compile(t, 37)
	namespace := func(labels string) string {
		return "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {" + labels + "}}"
	}
	annotated := func(annotations string) string {
		return "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, annotations: {" + annotations + "}}"
	}
	for name, test := range map[string]struct {
		review
		want string
	}{
		"a namespace without labels":        {review{object: "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}"}, "changes-a-label-of-probity"},
		"a namespace with labels of others": {review{object: namespace("team: blue")}, "changes-a-label-of-probity"},
		"a new namespace with a mode":       {review{object: namespace("probity.dev/mode: warn")}, "called"},
		"a mode is added":                   {review{object: namespace("probity.dev/mode: warn"), old: namespace("team: blue")}, "called"},
		"a mode is changed":                 {review{object: namespace("probity.dev/mode: warn"), old: namespace("probity.dev/mode: audit")}, "called"},
		"a profile is added":                {review{object: namespace("probity.dev/mode: warn, probity.dev/profile: strict"), old: namespace("probity.dev/mode: warn")}, "called"},
		"a misspelt label is added":         {review{object: namespace("probity.dev/profil: strict"), old: namespace("team: blue")}, "called"},
		"a new one with a misspelt label":   {review{object: namespace("probity.dev/profil: strict")}, "called"},
		"a misspelt label stays":            {review{object: namespace("probity.dev/profil: strict, team: blue"), old: namespace("probity.dev/profil: strict")}, "changes-a-label-of-probity"},
		"a mode as an annotation":           {review{object: annotated("probity.dev/mode: warn"), old: namespace("team: blue")}, "called"},
		"a new one with an annotation":      {review{object: annotated("probity.dev/mode: warn")}, "called"},
		"an annotation stays":               {review{object: annotated("probity.dev/mode: warn, note: hello"), old: annotated("probity.dev/mode: warn")}, "changes-a-label-of-probity"},
		"an annotation of others":           {review{object: annotated("note: hello"), old: namespace("team: blue")}, "changes-a-label-of-probity"},
		"another label is added":            {review{object: namespace("probity.dev/mode: warn, team: blue"), old: namespace("probity.dev/mode: warn")}, "changes-a-label-of-probity"},
		"the mode is removed":               {review{object: namespace("team: blue"), old: namespace("probity.dev/mode: warn")}, "called"},
		"the last label is removed":         {review{object: "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}", old: namespace("probity.dev/mode: warn")}, "called"},
		"a namespace that is being deleted": {
			review{object: "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, deletionTimestamp: '2026-01-01T00:00:00Z', labels: {probity.dev/mode: warn}}", old: namespace("team: blue")},
			"not-on-its-way-out",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.skippedBy(t, m.namespaces); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}
