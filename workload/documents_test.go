package workload

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// read lists every document of a file: what it is, its line, its errors.
func read(name, text string) []string {
	got := []string{}
	for d := range DefaultKinds().Documents(name, []byte(text)) {
		line := fmt.Sprintf("%d", d.Source.Line)
		if d.Path != "" {
			line += " " + d.Path
		}
		if d.Object != nil {
			line += " " + d.Object.Ref.String()
		}
		if d.Foreign {
			line += " foreign"
		}
		got = append(got, line)
		for _, e := range d.Errors {
			mark := "  "
			if e.Judged {
				mark = "  judged "
			}
			got = append(got, mark+e.Error())
		}
	}
	return got
}

const pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: %s\nspec:\n  containers:\n  - name: app\n    image: app\n"

func podNamed(name string) string { return fmt.Sprintf(pod, name) }

func TestDocuments(t *testing.T) {
	tests := []struct {
		name, file, text string
		want             []string
	}{
		{"an empty file has no documents", "a.yaml", "", []string{}},
		{"comments, blanks and empty documents are passed over", "a.yaml", "# nothing\n---\n\n---\n# here\n---\nnull\n---\n~\n", []string{}},
		{"documents are found with their lines", "a.yaml", "# first\n---\n" + podNamed("a") + "---\n\n# second\n" + podNamed("b"), []string{
			"3 Pod a", "14 Pod b",
		}},
		{"a marker may carry a comment", "a.yaml", "--- # Source: chart/a.yaml\n" + podNamed("a") + "---  \n" + podNamed("b"), []string{
			"2 Pod a", "11 Pod b",
		}},
		{"a marker may carry the document", "a.yaml", "--- {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: app}]}}\n", []string{
			"1 Pod a",
		}},
		{"three dots end a document", "a.yaml", podNamed("a") + "...\n# between\n...\n---\n" + podNamed("b") + "...\n", []string{
			"1 Pod a", "13 Pod b",
		}},
		{"a directive belongs to the document after it", "a.yaml", "%YAML 1.1\n---\n" + podNamed("a"), []string{"3 Pod a"}},
		{"Windows line ends count as one", "a.yaml", strings.ReplaceAll("---\n"+podNamed("a")+"---\n"+podNamed("b"), "\n", "\r\n"), []string{
			"2 Pod a", "11 Pod b",
		}},
		{"a byte order mark is no content", "a.yaml", "\ufeff" + podNamed("a"), []string{"1 Pod a"}},
		{"nor is one of each of several files that were joined", "a.yaml", "\ufeff" + podNamed("a") + "\ufeff---\n" + podNamed("b") + "---\n\ufeff" + podNamed("c"), []string{
			"1 Pod a", "10 Pod b", "19 Pod c",
		}},
		{"an alias of nothing has its line", "a.yaml", podNamed("a") + "---\n" + podNamed("b") + "# *xy\n  x: [*x]\n", []string{
			"1 Pod a", "19", "  a.yaml:19: is not YAML: unknown anchor 'x' referenced",
		}},
		{"what is no text has its line", "a.yaml", podNamed("a") + "  x: \x00\n---\n" + podNamed("b") + "  x: \u00e9\xff\n", []string{
			"9", "  a.yaml:9: is not YAML: control characters are not allowed", "19", "  a.yaml:19: is not YAML: invalid leading UTF-8 octet",
		}},
		{"UTF-16 of a redirected PowerShell is read", "a.yaml", utf16Text(podNamed("a")), []string{"1 Pod a"}},
		{"a broken document hides no other", "a.yaml", podNamed("a") + "---\nkind: Pod\n  x: [\n---\n" + podNamed("b"), []string{
			"1 Pod a", "11", "  a.yaml:11: is not YAML: mapping values are not allowed in this context", "13 Pod b",
		}},
		{"a tab is named", "a.yaml", "kind: Pod\nspec:\n\tx: 1\n", []string{
			"3", "  a.yaml:3: is not YAML: a tab indents the line; YAML wants spaces",
		}},
		{"a template is named", "a.yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n", []string{
			"4", "  a.yaml:4: is a template ({{ }}), not a manifest; render it first (helm template CHART | probity check -)",
		}},
		{"a template's control lines are named", "a.yaml", "{{- if .Values.x }}\napiVersion: v1\nkind: Pod\n{{- end }}\n", []string{
			"1", "  a.yaml:1: is a template ({{ }}), not a manifest; render it first (helm template CHART | probity check -)",
		}},
		{"a values file is foreign", "values.yaml", "replicas: 1\nimage: x\n", []string{
			"1 foreign", "  values.yaml:1: is not a Kubernetes object: it has no apiVersion and no kind",
		}},
		{"prose is foreign", "a.yaml", "just words\n", []string{"1 foreign", "  a.yaml:1: is not a Kubernetes object: is a string"}},
		{"broken YAML without a kind is foreign", "a.yaml", "a: b: c\n", []string{
			"1 foreign", "  a.yaml:1: is not YAML: mapping values are not allowed in this context",
		}},
		{"a kind without apiVersion is meant for us", "a.yaml", "kind: Deployment\nspec: {}\n", []string{
			"1", "  a.yaml:1: is a Deployment without apiVersion; a Kubernetes object must have apiVersion and kind",
		}},
		{"a chart's own file is foreign", "Chart.yaml", "apiVersion: v2\nname: x\n", []string{
			"1 foreign", "  Chart.yaml:1: has apiVersion v2 and no kind; a Kubernetes object must have apiVersion and kind",
		}},
		{"a kind that is a number is an error", "a.yaml", "apiVersion: v1\nkind: 5\n", []string{
			"1 foreign", "  a.yaml:1: is not a Kubernetes object: kind must be a string, is 5",
		}},
		{"a misspelt kind is meant for us", "a.yaml", "apiVersion: apps/v1\nKind: Deployment\nmetadata: {name: a}\n", []string{
			"1", "  a.yaml:1: has apiVersion apps/v1 and no kind; a Kubernetes object must have apiVersion and kind: is Kind meant for kind?",
		}},
		{"so is a misspelt apiVersion", "a.yaml", "apiversion: v1\nkind: Pod\n", []string{
			"1", "  a.yaml:1: is a Pod without apiVersion; a Kubernetes object must have apiVersion and kind: is apiversion meant for apiVersion?",
		}},
		{"so are both", "a.yaml", "ApiVersion: v1\nKind: Pod\n", []string{
			"1", "  a.yaml:1: has no apiVersion and no kind; a Kubernetes object must have apiVersion and kind: are ApiVersion and Kind meant for them?",
		}},
		{"so is a kind that is left out, by the rest of the object", "a.yaml", "apiVersion: v1\nmetadata: {name: a}\n", []string{
			"1", "  a.yaml:1: has apiVersion v1 and no kind; a Kubernetes object must have apiVersion and kind",
		}},
		{"so is one that is left out, by the group", "a.yaml", "apiVersion: batch/v1\n", []string{
			"1", "  a.yaml:1: has apiVersion batch/v1 and no kind; a Kubernetes object must have apiVersion and kind",
		}},
		{"so is a kind that is no string, by the rest of the object", "a.yaml", "apiVersion: v1\nkind: y\nspec: {}\n", []string{
			"1", "  a.yaml:1: is not a Kubernetes object: kind must be a string, is true",
		}},
		{"so are both, where only one has another case, by the rest of the object", "a.yaml", "KIND: Pod\nspec: {}\n", []string{
			"1", "  a.yaml:1: has no apiVersion and no kind; a Kubernetes object must have apiVersion and kind: is KIND meant for kind?",
		}},
		{"what YAML takes for something else is to be quoted", "a.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: on\n    image: n\n  - name: 1.10\n", []string{
			"1 Pod a",
			"  a.yaml:6: Pod a: spec.containers[0].name must be a string, is true; quote it, as YAML takes y, yes and on for true",
			"  a.yaml:7: Pod a: spec.containers[0].image must be a string, is false; quote it, as YAML takes n, no and off for false",
			"  a.yaml:8: Pod a: spec.containers[1].name must be a string, is 1.1; quote it",
		}},
		{"a kustomization may leave its kind out", "kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1beta1\nmetadata: {name: a}\n", []string{
			"1 foreign", "  kustomization.yaml:1: has apiVersion kustomize.config.k8s.io/v1beta1 and no kind; a Kubernetes object must have apiVersion and kind",
		}},
		{"other files have some such words", "a.yaml", "apiVersion: 1\nkinds: [a]\nspec: {}\n---\nbind: a\nspec: {}\n---\nspec: {}\nmetadata: {}\n", []string{
			"1 foreign", "  a.yaml:1: is not a Kubernetes object: apiVersion must be a string, is 1",
			"5 foreign", "  a.yaml:5: is not a Kubernetes object: it has no apiVersion and no kind",
			"8 foreign", "  a.yaml:8: is not a Kubernetes object: it has no apiVersion and no kind",
		}},
		{"what no rule judges is read by name", "a.yaml", "apiVersion: v1\nkind: Service\nmetadata:\n  name: s\n  namespace: shop\n", []string{"1 Service shop/s"}},
		{"an illegal field is an error on its line", "a.yaml", podNamed("a") + "    livenessProbe:\n      periodSeconds: x\n      tcpSocket: {port: 1}\n", []string{
			"1 Pod a", "  a.yaml:10: Pod a: spec.containers[0].livenessProbe.periodSeconds must be a whole number, is \"x\"",
		}},
		{"an illegal budget is an error", "a.yaml", "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec:\n  selector: {}\n  minAvailable: [1]\n", []string{
			"1 PodDisruptionBudget b",
			`  a.yaml:6: PodDisruptionBudget b: spec.minAvailable must be a whole number or a percentage such as "25%", is [`,
		}},
		{"a key that stands twice is told, and the last one counts", "a.yaml", podNamed("a") + "kind: Pod\nmetadata:\n  name: b\n  name: c\n", []string{
			"1 Pod c",
			`  judged a.yaml:9: Pod c: key "kind" stands twice, first on line 2; the last one counts`,
			`  judged a.yaml:10: Pod c: key "metadata" stands twice, first on line 3; the last one counts`,
			`  judged a.yaml:12: Pod c: key "name" stands twice, first on line 11; the last one counts`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, read(tt.file, tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func utf16Text(s string) string {
	text := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		text = binary.LittleEndian.AppendUint16(text, u)
	}
	return string(text)
}

func TestDocumentsExpandsLists(t *testing.T) {
	tests := []struct {
		name, file, text string
		want             []string
	}{
		{"a List gives its items, each with its line", "a.yaml", `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: a
    name: b
  spec:
    containers: []
- apiVersion: v1
  kind: List
  items:
  - kind: Pod
    apiVersion: v1
    metadata: {name: c}
    spec: {containers: [{name: x}]}
- just words
-
`, []string{
			"4 items[0] Pod b",
			"  a.yaml:10: Pod b: items[0].spec.containers must list at least one container",
			`  judged a.yaml:8: Pod b: key "name" stands twice, first on line 7; the last one counts`,
			"14 items[1].items[0] Pod c",
			"18 items[2]", "  a.yaml:18: items[2] is not a Kubernetes object: is a string",
			"19 items[3]", "  a.yaml:19: items[3] is not a Kubernetes object: is null",
		}},
		{"items before the kind are found", "a.yaml", "items:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: x}]}}\nkind: List\napiVersion: v1\n", []string{
			"2 items[0] Pod a",
		}},
		{"a typed list says what its items are", "a.yaml", "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n  spec: {containers: [{name: x}]}\n", []string{
			"4 items[0] Pod a",
		}},
		{"a list without items is empty", "a.yaml", "apiVersion: v1\nkind: List\nitems: []\n---\napiVersion: v1\nkind: List\nitems: null\n", []string{}},
		{"items that are no list are an error", "a.yaml", "apiVersion: v1\nkind: List\nitems: 5\n", []string{"1", "  a.yaml:1: has items that are no list"}},
		{"a list of a JSON file keeps its lines", "a.json", "{\n \"kind\": \"List\",\n \"apiVersion\": \"v1\",\n \"items\": [\n  {\"apiVersion\": \"v1\", \"kind\": \"Pod\",\n   \"metadata\": {\"name\": \"a\"},\n   \"spec\": {\"containers\": [\n    {\"name\": \"x\",\n     \"livenessProbe\": {}}]}}]}\n", []string{
			"5 items[0] Pod a",
			"  a.json:9: Pod a: items[0].spec.containers[0].livenessProbe has no handler; it must have exactly one of exec, grpc, httpGet, tcpSocket",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, read(tt.file, tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDocumentsReadsJSON(t *testing.T) {
	const a = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "x"}]}}`
	tests := []struct {
		name, file, text string
		want             []string
	}{
		{"what is no UTF-8 has its line", "a.json", "{\"kind\": \"Pod\",\n\"x\": \"\xff\"}", []string{"2", "  a.json:2: is not JSON: invalid UTF-8"}},
		{"one object after the other", "a.json", a + "\n" + a + a, []string{"1 Pod a", "2 Pod a", "2 Pod a"}},
		{"in a YAML file too", "a.yaml", "---\n" + a + "\n---\n\n" + a, []string{"2 Pod a", "5 Pod a"}},
		{"an error has its line, and what stands before it counts", "a.json", a + "\n{\n\"kind\": \"Pod\",,\n}", []string{
			"1 Pod a", "3", `  a.json:3: is not JSON: invalid character ',' at start of string (expecting '"')`,
		}},
		{"the end comes too soon", "a.json", "{\"kind\": \"Pod\",\n", []string{"2", "  a.json:2: is not JSON: it ends too soon"}},
		{"a name that stands twice is told", "a.json", "{\"apiVersion\": \"v1\",\n\"kind\": \"X\",\n\"kind\": \"Pod\",\n\"spec\": {\"containers\": [{\"name\": \"x\"}]}}", []string{
			"1 Pod ", `  judged a.json:3: Pod : key "kind" stands twice, first on line 2; the last one counts`,
		}},
		{"another file is foreign", "package.json", `{"name": "x"}`, []string{
			"1 foreign", "  package.json:1: is not a Kubernetes object: it has no apiVersion and no kind",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, read(tt.file, tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLineFindsTheFieldOrTheNearestAboveIt(t *testing.T) {
	const text = `# comment
x: &probe
  httpGet:
    port: 1
apiVersion: v1
kind: Pod
metadata:
  annotations:
    probity.dev/exempt: x
spec:
  containers:
  - name: app

    livenessProbe:
      <<: *probe
      periodSeconds: 3
  - {name: two,
     image: three}
`
	tests := []struct {
		path string
		want int
	}{
		{"", 2},
		{"kind", 6},
		{`metadata.annotations["probity.dev/exempt"]`, 9},
		{"spec.containers", 11},
		{"spec.containers[0]", 12},
		{"spec.containers[0].livenessProbe", 14},
		{"spec.containers[0].livenessProbe.periodSeconds", 16},
		{"spec.containers[0].livenessProbe.httpGet.port", 4},
		{"spec.containers[0].livenessProbe.timeoutSeconds", 14},
		{"spec.containers[1].image", 18},
		{"spec.containers[1].livenessProbe.exec", 17},
		{"spec.containers[9].image", 11},
		{"spec.replicas", 10},
		{"spec.containers[x", 11},
		{"nothing[0].of[1].this", 2},
	}
	for d := range DefaultKinds().Documents("a.yaml", []byte(text)) {
		for _, tt := range tests {
			if got := d.Line(tt.path); got != tt.want {
				t.Errorf("%s is on line %d, want %d", tt.path, got, tt.want)
			}
		}
	}
}

func TestDocumentsBoundsWhatAliasesMake(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	var merges strings.Builder
	merges.WriteString("m0: &m0 {k: v}\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&merges, "m%d: &m%d {<<: [*m%d, *m%d]}\n", i, i, i-1, i-1)
	}
	tests := []struct{ name, text, want string }{
		{"a billion laughs", laughs.String(), "aliases make the document larger than "},
		{"merge keys that double", merges.String(), "merge keys bring more than 100000 fields into the document"},
		{"an alias inside its own anchor", "a: &a\n  b: [*a]\n", "alias *a stands inside its own anchor"},
		{"a merge key inside its own anchor", "a: &a\n  <<: *a\n", "merge keys are nested more than 100 deep"},
		{"depth", strings.Repeat("[", 2000) + strings.Repeat("]", 2000), "is nested more than 1000 deep"},
		{"depth beyond the parser's own bound", strings.Repeat("- ", 20000), "is not YAML: exceeded max depth of 10000"},
		{"an unknown anchor", "a: *b\n", "is not YAML: unknown anchor 'b' referenced"},
		{"an infinity", "a: .inf\n", "must be a number that JSON can hold, is an infinity or not a number"},
		{"a key that is an object", "? {a: b}\n: c\n", "a key must be a string, a number or a boolean, is an object or a list"},
		{"a key that is null", "~: c\n", "a key must be a string, a number or a boolean, is null"},
		{"a tag that does not fit", "a: !!int x\n", `must be what its tag !!int says, is "x"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readYAML([]byte(tt.text), 1)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %q", err, tt.want)
			}
		})
	}
}
