package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// neighbours are what is known of one namespace.
type neighbours struct {
	objects  []*workload.Object
	unsynced bool
}

func (n *neighbours) Near(string, ...*workload.Object) []*workload.Object { return n.objects }
func (n *neighbours) Synced() bool                                        { return !n.unsynced }

// live is what the API server would answer, by kind and name.
type live struct {
	objects map[string]*workload.Object
	err     error
	asked   []string
}

func (l *live) Object(_ context.Context, _ *workload.Kinds, ref workload.Ref) (*workload.Object, error) {
	l.asked = append(l.asked, ref.Kind+" "+ref.Name)
	return l.objects[ref.Kind+" "+ref.Name], l.err
}

// object decodes a manifest in YAML as the state of a namespace has it.
func object(t testing.TB, manifest string) *workload.Object {
	t.Helper()
	o, err := workload.DefaultKinds().Decode(toJSON(t, manifest))
	if err != nil {
		t.Fatalf("%v in %s", err, manifest)
	}
	o.SetNamespace("shop")
	return validate.ForBundle(o)
}

func objects(t testing.TB, manifests ...string) []*workload.Object {
	t.Helper()
	var all []*workload.Object
	for _, m := range manifests {
		all = append(all, object(t, m))
	}
	return all
}

func toJSON(t testing.TB, manifest string) []byte {
	t.Helper()
	text, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		t.Fatalf("%v in %s", err, manifest)
	}
	return text
}

func webDeployment(replicas int) string {
	return fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: %d, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: i}]}}}}", replicas)
}

func webScaler(least int) string {
	return fmt.Sprintf("{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, minReplicas: %d}}", least)
}

const (
	webBudget    = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}}"
	secondBudget = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: second}, spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}}"
	owned        = "ownerReferences: [{apiVersion: example.com/v1, kind: Shop, name: s, uid: u, controller: true}]"
)

// change is one review about budgets.
type change struct {
	object, old string
	user        string
	subresource string
	operation   string
}

func (c change) review(t testing.TB) []byte {
	t.Helper()
	o := object(t, c.object)
	group, version, ok := strings.Cut(o.Ref.APIVersion, "/")
	if !ok {
		group, version = "", group
	}
	request := map[string]any{
		"uid": "u-1", "kind": map[string]string{"group": group, "version": version, "kind": o.Ref.Kind}, "namespace": "shop", "name": o.Ref.Name,
		"operation": "CREATE", "subResource": c.subresource, "userInfo": map[string]string{"username": "alice"}, "object": json.RawMessage(toJSON(t, c.object)),
	}
	if c.user != "" {
		request["userInfo"] = map[string]string{"username": c.user}
	}
	if c.old != "" {
		request["operation"], request["oldObject"] = "UPDATE", json.RawMessage(toJSON(t, c.old))
	}
	if c.operation != "" {
		request["operation"] = c.operation
	}
	body, err := json.Marshal(map[string]any{"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// budgetHandler judges strictly, in a namespace with these objects.
func budgetHandler(t testing.TB, mode validate.Mode, there ...string) *Handler {
	t.Helper()
	h := newHandler(t, Everywhere{Mode: mode, Profile: validate.Strict, Injection: validate.ModeEnforce.DefaultInjection()})
	h.Neighbours = &neighbours{objects: objects(t, there...)}
	return h
}

// outcome is "allowed", "warned RULES" or "denied RULES".
func outcome(t testing.TB, h *Handler, c change) string {
	t.Helper()
	code, answer := send(t, h.Validate(), "application/json", c.review(t))
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, answer)
	}
	var review struct {
		Response struct {
			Allowed  bool
			Status   struct{ Message string }
			Warnings []string
		}
	}
	if err := json.Unmarshal([]byte(answer), &review); err != nil {
		t.Fatal(err)
	}
	r := review.Response
	rules := func(in string) string {
		found := ""
		for _, rule := range []string{"budget-blocks-drain", "budget-overlap", "budget-unsupported", "probe-timeout-period", "not judged"} {
			if strings.Contains(in, rule) {
				found += " " + rule
			}
		}
		return found
	}
	switch {
	case !r.Allowed:
		return "denied" + rules(r.Status.Message)
	case len(r.Warnings) > 0:
		return "warned" + rules(strings.Join(r.Warnings, "\n"))
	default:
		return "allowed"
	}
}

// TestBudgetModes shows one budget that blocks in each mode.
func TestBudgetModes(t *testing.T) {
	for mode := validate.ModeOff; mode <= validate.ModeEnforce; mode++ {
		t.Run(mode.String(), func(t *testing.T) {
			_, answer := send(t, budgetHandler(t, mode, webDeployment(1)).Validate(), "application/json", change{object: webBudget}.review(t))
			golden(t, filepath.Join("testdata", "budget-"+mode.String()+".golden"), answer+"\n")
		})
	}
}

func TestChangesOfBudgets(t *testing.T) {
	const operator = "system:serviceaccount:operators:shop"
	web := func(replicas int, pairs ...string) string {
		return strings.NewReplacer(pairs...).Replace(webDeployment(replicas))
	}
	tests := []struct {
		name  string
		there []string
		change
		want string
	}{
		{"a budget before its workload", nil, change{object: webBudget}, "allowed"},
		{"a budget that lets a pod go", []string{webDeployment(2)}, change{object: webBudget}, "allowed"},
		{"a second budget", []string{webDeployment(2), webBudget}, change{object: secondBudget}, "denied budget-overlap"},
		{"the same budget again", []string{webDeployment(2), webBudget}, change{object: webBudget, old: webBudget}, "allowed"},
		{"a budget that blocked before", []string{webDeployment(1), webBudget}, change{object: strings.Replace(webBudget, "minAvailable: 1", "minAvailable: 2", 1), old: webBudget}, "warned budget-blocks-drain"},
		{"a budget that is not legal", []string{webDeployment(1)}, change{object: strings.Replace(webBudget, "minAvailable: 1", "minAvailable: 1, maxUnavailable: 1", 1)}, "warned not judged"},
		{"a budget with an exemption", []string{webDeployment(1)}, change{object: strings.Replace(webBudget, "name: web", "name: web, annotations: {probity.dev/exempt: budget-blocks-drain, probity.dev/exempt-reason: planned}", 1)}, "allowed"},
		{"an operator's budget", []string{webDeployment(1)}, change{object: strings.Replace(webBudget, "name: web", "name: web, "+owned, 1), user: operator}, "warned budget-blocks-drain"},
		{"an operator's budget that overlaps", []string{webDeployment(2), webBudget}, change{object: strings.Replace(secondBudget, "name: second", "name: second, "+owned, 1), user: operator}, "warned budget-overlap"},
		{"a budget of a service account of a pipeline", []string{webDeployment(1)}, change{object: webBudget, user: operator}, "denied budget-blocks-drain"},
		{"a budget of a built-in controller", []string{webDeployment(1)}, change{object: webBudget, user: "system:serviceaccount:kube-system:some-controller"}, "warned budget-blocks-drain"},
		{"a budget on its way out", []string{webDeployment(1)}, change{object: strings.Replace(webBudget, "name: web", "name: web, deletionTimestamp: '2026-01-01T00:00:00Z'", 1), old: webBudget}, "allowed"},
		{"a status of a budget", []string{webDeployment(1)}, change{object: webBudget, old: secondBudget, subresource: "status"}, "allowed"},
		{"a deletion", []string{webDeployment(1)}, change{object: webBudget, operation: "DELETE"}, "allowed"},

		{"an autoscaler's lower minimum", []string{webDeployment(3), webBudget}, change{object: webScaler(1), old: webScaler(2)}, "denied budget-blocks-drain"},
		{"an autoscaler's higher minimum", []string{webDeployment(3), webBudget}, change{object: webScaler(3), old: webScaler(2)}, "allowed"},
		{"an autoscaler that KEDA makes", []string{webDeployment(3), webBudget}, change{object: strings.Replace(webScaler(1), "name: web}, spec", "name: web, "+owned+"}, spec", 1), user: operator}, "warned budget-blocks-drain"},
		{"a person's autoscaler with an owner", []string{webDeployment(3), webBudget}, change{object: strings.Replace(webScaler(1), "name: web}, spec", "name: web, "+owned+"}, spec", 1)}, "denied budget-blocks-drain"},
		{"an autoscaler that leaves its target", []string{webDeployment(1), webBudget, webScaler(2)}, change{object: strings.Replace(webScaler(2), "Deployment, name: web", "Deployment, name: other", 1), old: webScaler(2)}, "denied budget-blocks-drain"},

		{"a workload that a person scales down", []string{webBudget}, change{object: web(1), old: web(2)}, "denied budget-blocks-drain"},
		{"a workload that a service account scales down", []string{webBudget}, change{object: web(1), old: web(2), user: operator}, "warned budget-blocks-drain"},
		{"a workload that a pipeline rolls out with fewer replicas", []string{webBudget}, change{object: web(1, "image: i", "image: i:2"), old: web(2), user: operator}, "denied budget-blocks-drain"},
		{"an operator's workload with fewer replicas", []string{webBudget}, change{object: web(1, "image: i", "image: i:2", "name: web}", "name: web, "+owned+"}"), old: web(2), user: operator}, "warned budget-blocks-drain"},
		{"a workload that is rolled out under a budget that blocks", []string{webBudget}, change{object: web(1, "image: i", "image: i:2"), old: web(1)}, "warned budget-blocks-drain"},
		{"a workload with a fault of its own", []string{webBudget}, change{object: web(1, "image: i", "image: i, livenessProbe: {tcpSocket: {port: 1}, periodSeconds: 5, timeoutSeconds: 5}"), old: web(2)}, "denied budget-blocks-drain probe-timeout-period"},
		{"a Pod", []string{strings.Replace(webBudget, "minAvailable: 1", "maxUnavailable: 1", 1)}, change{object: "{apiVersion: v1, kind: Pod, metadata: {name: debug, labels: {app: web}}, spec: {containers: [{name: app, image: i}]}}"}, "allowed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := outcome(t, budgetHandler(t, validate.ModeEnforce, tt.there...), tt.change); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestBudgetsWithoutState(t *testing.T) {
	h := budgetHandler(t, validate.ModeEnforce, webDeployment(1))
	h.Neighbours.(*neighbours).unsynced = true
	if got := outcome(t, h, change{object: webBudget}); got != "allowed" {
		t.Errorf("not synced: %s", got)
	}
	if n := testutil.ToFloat64(h.Metrics.budgetsUnjudged.WithLabelValues(unsynced)); n != 1 {
		t.Errorf("counted %v", n)
	}
	h.Neighbours = nil
	if got := outcome(t, h, change{object: webBudget}); got != "allowed" {
		t.Errorf("no neighbours: %s", got)
	}
}

// TestRefusalsAreConfirmed by what is there now, as watches come late.
func TestRefusalsAreConfirmed(t *testing.T) {
	tests := []struct {
		name  string
		known []string
		live  live
		change
		want  string
		asked []string
	}{
		{
			"the workload has been scaled up",
			[]string{webDeployment(1)},
			live{objects: map[string]*workload.Object{"Deployment web": object(t, webDeployment(2))}},
			change{object: webBudget},
			"allowed",
			[]string{"Deployment web"},
		},
		{
			"the other budget is gone",
			[]string{webDeployment(2), webBudget},
			live{objects: map[string]*workload.Object{"Deployment web": object(t, webDeployment(2))}},
			change{object: secondBudget},
			"allowed",
			[]string{"PodDisruptionBudget web", "Deployment web"},
		},
		{
			"it is as known",
			[]string{webDeployment(1)},
			live{objects: map[string]*workload.Object{"Deployment web": object(t, webDeployment(1))}},
			change{object: webBudget},
			"denied budget-blocks-drain",
			[]string{"Deployment web"},
		},
		{"nobody can tell", []string{webDeployment(1)}, live{err: errors.New("etcd is away")}, change{object: webBudget}, "warned budget-blocks-drain", []string{"Deployment web"}},
		{"nothing is refused", []string{webDeployment(2)}, live{}, change{object: webBudget}, "allowed", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := budgetHandler(t, validate.ModeEnforce, tt.known...)
			h.Live = &tt.live
			if got := outcome(t, h, tt.change); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if diff := cmp.Diff(tt.asked, tt.live.asked); diff != "" {
				t.Error(diff)
			}
			want := 0.
			if tt.live.err != nil {
				want = 1
			}
			if n := testutil.ToFloat64(h.Metrics.budgetsUnjudged.WithLabelValues(unconfirmed)); n != want {
				t.Errorf("counted %v, want %v", n, want)
			}
		})
	}
	t.Run("a warning needs none", func(t *testing.T) {
		h, asked := budgetHandler(t, validate.ModeWarn, webDeployment(1)), &live{}
		h.Live = asked
		if got := outcome(t, h, change{object: webBudget}); got != "warned budget-blocks-drain" || asked.asked != nil {
			t.Errorf("%s, asked for %v", got, asked.asked)
		}
	})
	t.Run("of very many some are read", func(t *testing.T) {
		known := []string{strings.Replace(webBudget, "selector: {matchLabels: {app: web}}", "selector: {}", 1)}
		for i := range 100 {
			known = append(known, strings.Replace(webDeployment(1), "metadata: {name: web}", "metadata: {name: w"+strconv.Itoa(i)+"}", 1))
		}
		h, asked := budgetHandler(t, validate.ModeEnforce, known...), &live{}
		h.Live = asked
		_ = outcome(t, h, change{object: secondBudget})
		if len(asked.asked) != maxConfirmed {
			t.Errorf("asked for %d", len(asked.asked))
		}
	})
}

// BenchmarkBudgets shows what the neighbours cost a review of a Deployment with a
// budget, beside none: in a namespace with that budget alone, and among a
// thousand other workloads with a budget each.
func BenchmarkBudgets(b *testing.B) {
	for _, n := range []int{0, 1, 1_000} {
		h := newHandler(b, enforce())
		body := benchReviews(b)["apiserver"]
		if n > 0 {
			h.Neighbours = &neighbours{objects: benchNeighbours(b, h, body, n)}
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if code, answer := send(b, h.Validate(), "application/json", body); code != http.StatusOK {
					b.Fatal(answer)
				}
			}
		})
	}
}

// benchNeighbours are the budget of the review's object, and n-1 others with their
// workloads.
func benchNeighbours(b *testing.B, h *Handler, body []byte, n int) []*workload.Object {
	b.Helper()
	req, err := decodeReview(body, h.ruling.Load())
	if err != nil {
		b.Fatal(err)
	}
	budget := func(name string, labels map[string]string) *workload.Object {
		ref := workload.Ref{APIVersion: "policy/v1", Kind: "PodDisruptionBudget", Namespace: req.Namespace, Name: name}
		return &workload.Object{Ref: ref, Budget: &workload.Budget{Ref: ref, MaxUnavailable: &workload.IntOrPercent{Value: 1}, Selector: &workload.Selector{MatchLabels: labels}}}
	}
	all := []*workload.Object{budget("own", req.object.Workload.Pod.Labels)}
	for i := range n - 1 {
		name := "app-" + strconv.Itoa(i)
		labels := map[string]string{"app.kubernetes.io/name": name, "app.kubernetes.io/managed-by": "Helm"}
		ref := workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: req.Namespace, Name: name}
		all = append(all, budget(name, labels), &workload.Object{Ref: ref, Workload: &workload.Workload{Ref: ref, Pod: workload.Pod{Labels: labels}}})
	}
	return all
}
