package validate

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/workload"
)

var update = flag.Bool("update", false, "write what the rules give into the fixtures")

// TestFixtures runs every fixture through every kind that can hold it, in both
// profiles. A failing fixture gives what its header says and nothing else of
// its rule; a passing one gives nothing of its rule, and in the baseline nothing
// of any rule.
func TestFixtures(t *testing.T) {
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			examples, err := r.Examples()
			if err != nil {
				t.Fatalf("testdata/%s: %v; every rule needs a fail-*.yaml and a pass-*.yaml", r.ID, err)
			}
			count := map[bool]int{}
			for _, e := range examples {
				count[e.Fails]++
				t.Run(e.Name, func(t *testing.T) { testFixture(t, r, e) })
			}
			if count[true] == 0 || count[false] == 0 {
				t.Errorf("rule %s has %d failing and %d passing fixtures; it needs both", r.ID, count[true], count[false])
			}
		})
	}
}

func testFixture(t *testing.T, r *Rule, e Example) {
	kinds, overrides, injection := readDirectives(t, r, e)
	var want []string
	for _, d := range e.Directives {
		if strings.HasPrefix(d, "want:") || strings.HasPrefix(d, "  ") {
			want = append(want, d)
		}
	}
	for kind, tested := range subjects(t, r, e, kinds) {
		var got [len(Profiles)][]Finding
		for _, profile := range Profiles {
			policy, err := NewPolicy(profile, overrides...)
			if err != nil {
				t.Fatal(err)
			}
			got[profile] = tested.judge(policy.WithInjection(injection))
		}
		if !e.Fails {
			if len(got[Baseline]) > 0 {
				t.Errorf("%s: a passing fixture gives, in baseline: %v", kind, got[Baseline][0].String())
			}
		}
		for _, found := range got {
			checkWording(t, found)
		}
		lines := expectation(r.ID, tested.place, got)
		if *update {
			updateFixture(t, r, e, lines)
			want = lines
			continue
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("%s (-header +given; `go test ./validate -run Fixtures -update` writes the header):\n%s", kind, diff)
		}
		if e.Fails == (len(lines) == 0) {
			t.Errorf("%s: gives %d findings", kind, len(lines)/2)
		}
	}
}

// underTest is what a fixture is judged as.
type underTest struct {
	judge func(*Policy) []Finding
	// place names the field of a finding.
	place func(Finding) string
}

// subjects are the kinds that can hold the fixture's pod; the documents of a
// fixture of a rule about several objects are one bundle.
func subjects(t *testing.T, r *Rule, e Example, kinds []string) map[string]underTest {
	t.Helper()
	if r.CheckBundle != nil {
		return map[string]underTest{"bundle": bundleSubject(t, e)}
	}
	written := map[string]any{}
	if err := yaml.Unmarshal([]byte(e.Manifest), &written); err != nil {
		t.Fatal(err)
	}
	all := map[string]underTest{}
	for kind, object := range wrapped(t, written, kinds) {
		w := decodeFixture(t, object)
		all[kind] = underTest{
			judge: func(p *Policy) []Finding { return Evaluate(w, p) },
			place: func(f Finding) string { return strings.TrimPrefix(f.Path, w.Pod.Path+".") },
		}
	}
	return all
}

func bundleSubject(t *testing.T, e Example) underTest {
	t.Helper()
	objects := decodeBundle(t, e.Manifest)
	judge := func(p *Policy) (found []Finding) {
		for _, f := range EvaluateBundle(objects, p) {
			found = append(found, f.Finding)
		}
		for _, o := range objects {
			if o.Workload != nil {
				found = append(found, Evaluate(o.Workload, p)...)
			}
		}
		return found
	}
	return underTest{judge, func(f Finding) string { return f.Object.String() + " " + f.Path }}
}

func decodeBundle(t *testing.T, manifest string) []*workload.Object {
	t.Helper()
	var objects []*workload.Object
	for d := range workload.DefaultKinds().Documents(t.Name(), []byte(manifest)) {
		// A budget may be one that the API server refuses: no rule judges it then.
		if len(d.Errors) > 0 && (d.Object == nil || d.Object.Budget == nil) {
			t.Fatal(d.Errors)
		}
		objects = append(objects, d.Object)
	}
	return objects
}

// checkWording holds messages to their form: the message and the fix are joined
// with a full stop, and the ratchet tells findings apart by their evidence.
func checkWording(t *testing.T, found []Finding) {
	t.Helper()
	for _, f := range found {
		text := f.String()
		switch {
		case f.Evidence == "" || f.Path == "":
			t.Errorf("needs evidence and a path: %s", text)
		case strings.HasSuffix(f.Message, "."), !strings.HasSuffix(f.Fix, "."), strings.Contains(text, ".. "), strings.Contains(text, "  "):
			t.Errorf("must read as two sentences with one full stop each: %s", text)
		case len(text) > 700:
			t.Errorf("is %d bytes long: %s", len(text), text)
		}
	}
}

// ofReplicas tells of a bare Pod or a Job what is told of a workload with replicas, as
// one header stands for all kinds. TestWhomAnOutageHits has what is really told.
var ofReplicas = strings.NewReplacer(
	"outage kills the container", "outage restarts every replica",
	"later kills the container", "later restarts every replica",
	"which is not this pod's own; when it is away the pod leaves the Service",
	"which all replicas share; when it is away all of them leave the Service at once",
)

// expectation is the header that says what the findings are: the action in each
// profile, the field, and the whole message.
func expectation(rule string, place func(Finding) string, got [len(Profiles)][]Finding) []string {
	byPath := map[string]*[len(Profiles)]Action{}
	var order []Finding
	for _, profile := range Profiles {
		for _, f := range got[profile] {
			if f.Rule != rule {
				continue
			}
			key := place(f) + f.Message
			if byPath[key] == nil {
				byPath[key] = &[len(Profiles)]Action{}
				order = append(order, f)
			}
			byPath[key][profile] = f.Action
		}
	}
	var lines []string
	for _, f := range order {
		a := byPath[place(f)+f.Message]
		lines = append(lines,
			fmt.Sprintf("want: %s/%s %s", a[Baseline], a[Strict], place(f)),
			"  "+ofReplicas.Replace(f.String()))
	}
	return lines
}

func readDirectives(t *testing.T, r *Rule, e Example) (kinds []string, overrides []Override, injection Injection) {
	t.Helper()
	for _, d := range e.Directives {
		if v, ok := strings.CutPrefix(d, "kinds: "); ok {
			kinds = strings.Split(v, ", ")
		}
		if v, ok := strings.CutPrefix(d, "inject: "); ok {
			injection = Injection{Startup: strings.Contains(v, "startup"), Budget: strings.Contains(v, "budget")}
		}
		if v, ok := strings.CutPrefix(d, "action: "); ok {
			action, err := ParseAction(v)
			if err != nil {
				t.Fatal(err)
			}
			overrides = append(overrides, Override{Rule: r.ID, Action: &action})
		}
		if v, ok := strings.CutPrefix(d, "set: "); ok {
			name, value, _ := strings.Cut(v, "=")
			overrides = append(overrides, Override{Rule: r.ID, Params: map[string]any{name: paramValue(t, value)}})
		}
	}
	return kinds, overrides, injection
}

func paramValue(t *testing.T, s string) any {
	t.Helper()
	if b, err := strconv.ParseBool(s); err == nil && s != "1" && s != "0" {
		return b
	}
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatalf("set: %q is no boolean, number or duration", s)
	}
	return d
}

func decodeFixture(t *testing.T, object map[string]any) *workload.Workload {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	obj, err := workload.DefaultKinds().Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if obj.Workload == nil {
		t.Fatalf("%s holds no pod template", obj.Ref)
	}
	if len(obj.Workload.Problems) > 0 {
		t.Fatalf("the fixture is not legal: %v", obj.Workload.Problems)
	}
	return obj.Workload
}

// wrapped puts the pod template of the written object into every kind, or into
// those named; the written object itself stays as it is.
func wrapped(t *testing.T, written map[string]any, kinds []string) map[string]map[string]any {
	t.Helper()
	kind, _ := written["kind"].(string)
	spec, _ := written["spec"].(map[string]any)
	template, _ := spec["template"].(map[string]any)
	if kind == "Pod" {
		template = map[string]any{"metadata": written["metadata"], "spec": spec}
	}
	if template == nil {
		t.Fatalf("a fixture is a Pod or has spec.template; this is a %s", kind)
	}
	all := map[string]map[string]any{
		"Pod":                   object("v1", "Pod", template["spec"].(map[string]any)),
		"ReplicationController": object("v1", "ReplicationController", map[string]any{"template": template}),
		"ReplicaSet":            object("apps/v1", "ReplicaSet", map[string]any{"template": template}),
		"Deployment":            object("apps/v1", "Deployment", map[string]any{"template": template}),
		"StatefulSet":           object("apps/v1", "StatefulSet", map[string]any{"template": template}),
		"DaemonSet":             object("apps/v1", "DaemonSet", map[string]any{"template": template}),
		"Job":                   object("batch/v1", "Job", map[string]any{"template": template}),
		"CronJob":               object("batch/v1", "CronJob", map[string]any{"jobTemplate": map[string]any{"spec": map[string]any{"template": template}}}),
		"Rollout":               object("argoproj.io/v1alpha1", "Rollout", map[string]any{"template": template}),
	}
	if meta, ok := template["metadata"].(map[string]any); ok {
		all["Pod"]["metadata"] = meta
		if meta["name"] == nil {
			meta["name"] = "app"
		}
	}
	all[kind] = written
	if kinds != nil {
		maps.DeleteFunc(all, func(k string, _ map[string]any) bool { return !slices.Contains(kinds, k) })
	}
	return all
}

func object(apiVersion, kind string, spec map[string]any) map[string]any {
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": "app"}, "spec": spec}
}

func updateFixture(t *testing.T, r *Rule, e Example, lines []string) {
	t.Helper()
	var b strings.Builder
	if e.About != "" {
		b.WriteString("# " + e.About + "\n")
	}
	for _, d := range e.Directives {
		if !strings.HasPrefix(d, "want:") && !strings.HasPrefix(d, "  ") {
			b.WriteString("# " + d + "\n")
		}
	}
	for _, l := range lines {
		b.WriteString("# " + l + "\n")
	}
	b.WriteString(e.Manifest)
	name := filepath.Join("testdata", r.ID, e.Name+".yaml")
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
