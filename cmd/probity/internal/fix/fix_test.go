package fix

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/mutate"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

func fixer() *Fixer {
	policy := validate.MustPolicy(validate.Baseline).WithInjection(validate.Injection{Startup: true})
	return &Fixer{
		Kinds: workload.DefaultKinds(), Judge: validate.Judge{Policy: policy},
		Injection: validate.Injection{Startup: true}, Budget: mutate.DefaultStartupBudget,
	}
}

const head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec:\n  template:\n    spec:\n"

func TestFileAddsLinesAndChangesNothingElse(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{
			"comments, order and blank lines stay",
			head + `      containers: # the only one
      - name: app
        livenessProbe: # asks the process
          httpGet: {path: /livez, port: 80} # here

        # the image
        image: "x"
`,
			head + `      containers: # the only one
      - name: app
        livenessProbe: # asks the process
          httpGet: {path: /livez, port: 80} # here
        startupProbe:
          httpGet:
            path: /livez
            port: 80
          failureThreshold: 30
          periodSeconds: 10

        # the image
        image: "x"
`,
		},
		{
			"a probe at the end of a file without a line end",
			head + "      containers:\n      - livenessProbe:\n          tcpSocket:\n            port: 80\n        name: app\n---\n" +
				strings.TrimSuffix(head, "\n") + "\n      initContainers:\n      - name: proxy\n        restartPolicy: Always\n        livenessProbe: {tcpSocket: {port: 80}}",
			head + "      containers:\n      - livenessProbe:\n          tcpSocket:\n            port: 80\n" +
				"        startupProbe:\n          tcpSocket:\n            port: 80\n          failureThreshold: 30\n          periodSeconds: 10\n        name: app\n---\n" +
				head + "      initContainers:\n      - name: proxy\n        restartPolicy: Always\n        livenessProbe: {tcpSocket: {port: 80}}\n" +
				"        startupProbe:\n          tcpSocket:\n            port: 80\n          failureThreshold: 30\n          periodSeconds: 10\n",
		},
		{
			"a script is written as a script",
			head + "      containers:\n      - name: app\n        livenessProbe:\n          exec:\n            command:\n            - sh\n            - -c\n            - |\n              test -f /x &&\n                test -f \"/y\"\n          timeoutSeconds: 20\n          periodSeconds: 30\n",
			head + "      containers:\n      - name: app\n        livenessProbe:\n          exec:\n            command:\n            - sh\n            - -c\n            - |\n              test -f /x &&\n                test -f \"/y\"\n          timeoutSeconds: 20\n          periodSeconds: 30\n" +
				"        startupProbe:\n          exec:\n            command:\n            - sh\n            - \"-c\"\n            - |\n              test -f /x &&\n                test -f \"/y\"\n          timeoutSeconds: 20\n          failureThreshold: 15\n          periodSeconds: 21\n",
		},
		{
			"two containers that share a block by an anchor share the probe",
			head + "      containers:\n      - &app\n        name: app\n        livenessProbe:\n          tcpSocket: {port: 80}\n      - <<: *app\n        name: two\n",
			head + "      containers:\n      - &app\n        name: app\n        livenessProbe:\n          tcpSocket: {port: 80}\n" +
				"        startupProbe:\n          tcpSocket:\n            port: 80\n          failureThreshold: 30\n          periodSeconds: 10\n      - <<: *app\n        name: two\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, eol := range []string{"\n", "\r\n"} {
				text, want := strings.ReplaceAll(tt.text, "\n", eol), strings.ReplaceAll(tt.want, "\n", eol)
				r := fixer().File("a.yaml", []byte(text))
				if diff := cmp.Diff(want, string(r.Text)); diff != "" || len(r.Left) > 0 {
					t.Errorf("%v\n%s", r.Left, diff)
				}
				again := fixer().File("a.yaml", r.Text)
				if diff := cmp.Diff(string(r.Text), string(again.Text)); diff != "" || len(again.Added) > 0 {
					t.Errorf("the second time adds %v\n%s", again.Added, diff)
				}
			}
		})
	}
}

const startupFlow = "startupProbe: {tcpSocket: {port: 80}, failureThreshold: 30, periodSeconds: 10}"

// TestFileKeepsFlowStyleAndJSON adds a probe in the style of the text around it.
func TestFileKeepsFlowStyleAndJSON(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{
			"flow style on one line", "a.yaml",
			head + "      containers: [{name: app, livenessProbe: {tcpSocket: {port: 80}}, image: x}] # one\n",
			head + "      containers: [{name: app, livenessProbe: {tcpSocket: {port: 80}}, " + startupFlow + ", image: x}] # one\n",
		},
		{
			"two containers on one line", "a.yaml",
			head + "      containers: [{name: a, livenessProbe: {tcpSocket: {port: 80}}}, {name: b, livenessProbe: {tcpSocket: {port: 80}}}]\n",
			head + "      containers: [{name: a, livenessProbe: {tcpSocket: {port: 80}}, " + startupFlow + "}, {name: b, livenessProbe: {tcpSocket: {port: 80}}, " + startupFlow + "}]\n",
		},
		{
			"flow style on several lines", "a.yaml",
			head + "      containers:\n      - {\n          name: app,\n          livenessProbe: {tcpSocket: {port: 80}}, # it's here }\n          image: x\n        }\n",
			head + "      containers:\n      - {\n          name: app,\n          livenessProbe: {tcpSocket: {port: 80}},\n          " + startupFlow + ", # it's here }\n          image: x\n        }\n",
		},
		{
			"strings that hold brackets, quotes and comments", "a.yaml",
			head + `      containers: [{name: "é", livenessProbe: {exec: {command: [test, '}''', "\"}", "#", don't]}}, image: x}]` + "\n",
			head + `      containers: [{name: "é", livenessProbe: {exec: {command: [test, '}''', "\"}", "#", don't]}}, ` +
				`startupProbe: {exec: {command: [test, "}'", "\"}", "#", "don't"]}, failureThreshold: 30, periodSeconds: 10}, image: x}]` + "\n",
		},
		{
			"JSON on one line", "a.json",
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"app","livenessProbe":{"tcpSocket":{"port":80}}}]}}`,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"app","livenessProbe":{"tcpSocket":{"port":80}},` +
				`"startupProbe":{"tcpSocket":{"port":80},"failureThreshold":30,"periodSeconds":10}}]}}`,
		},
		{
			"a List in JSON on one line with blanks, in a file of another name", "a.yaml",
			`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "app", "livenessProbe": {"tcpSocket": {"port": 80}}}]}}]}`,
			`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "app", "livenessProbe": {"tcpSocket": {"port": 80}}, ` +
				`"startupProbe": {"tcpSocket": {"port": 80}, "failureThreshold": 30, "periodSeconds": 10}}]}}]}`,
		},
		{
			"JSON on many lines", "a.json",
			`{
    "apiVersion": "v1",
    "kind": "Pod",
    "spec": {
        "containers": [{
            "livenessProbe": {
                "tcpSocket": {
                    "port": 80
                }
            },
            "name": "app"
        }]
    }
}
`,
			`{
    "apiVersion": "v1",
    "kind": "Pod",
    "spec": {
        "containers": [{
            "livenessProbe": {
                "tcpSocket": {
                    "port": 80
                }
            },
            "startupProbe": {
                "tcpSocket": {
                    "port": 80
                },
                "failureThreshold": 30,
                "periodSeconds": 10
            },
            "name": "app"
        }]
    }
}
`,
		},
		{
			"JSON in a document of YAML, with a key that stands twice", "a.yaml",
			"# before\n---\n" + `{"apiVersion": "v1", "kind": "Pod", "spec": {"x": 1, "x": 2, "containers": [{"name": "app", "livenessProbe": {"tcpSocket": {"port": 80}}}]}}` + "\n",
			"# before\n---\n" + `{"apiVersion": "v1", "kind": "Pod", "spec": {"x": 1, "x": 2, "containers": [{"name": "app", "livenessProbe": {"tcpSocket": {"port": 80}}, ` +
				`"startupProbe": {"tcpSocket": {"port": 80}, "failureThreshold": 30, "periodSeconds": 10}}]}}` + "\n",
		},
		{
			"objects one behind the other", "a.json",
			`{"apiVersion":"v1","kind":"Namespace"}` + "\n" + `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"app","livenessProbe":{"tcpSocket":{"port":80}}}]}}` + "\n",
			`{"apiVersion":"v1","kind":"Namespace"}` + "\n" + `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"app","livenessProbe":{"tcpSocket":{"port":80}},` +
				`"startupProbe":{"tcpSocket":{"port":80},"failureThreshold":30,"periodSeconds":10}}]}}` + "\n",
		},
		{
			"items of a List in block style", "a.yaml",
			"apiVersion: v1\nkind: PodList\nitems:\n- spec:\n    containers:\n    - name: a\n      livenessProbe: {tcpSocket: {port: 80}}\n- spec: {containers: [{name: b, livenessProbe: {tcpSocket: {port: 80}}}]}\n",
			"apiVersion: v1\nkind: PodList\nitems:\n- spec:\n    containers:\n    - name: a\n      livenessProbe: {tcpSocket: {port: 80}}\n" +
				"      startupProbe:\n        tcpSocket:\n          port: 80\n        failureThreshold: 30\n        periodSeconds: 10\n" +
				"- spec: {containers: [{name: b, livenessProbe: {tcpSocket: {port: 80}}, " + startupFlow + "}]}\n",
		},
		{
			"a probe that has an anchor, and one that is its alias", "a.yaml",
			head + "      containers:\n      - name: a\n        livenessProbe: &live\n          tcpSocket: {port: 80}\n      - name: b\n        livenessProbe: *live\n",
			head + "      containers:\n      - name: a\n        livenessProbe: &live\n          tcpSocket: {port: 80}\n        startupProbe:\n          tcpSocket:\n            port: 80\n          failureThreshold: 30\n          periodSeconds: 10\n" +
				"      - name: b\n        livenessProbe: *live\n        startupProbe:\n          tcpSocket:\n            port: 80\n          failureThreshold: 30\n          periodSeconds: 10\n",
		},
		{
			"a byte order mark", "a.yaml",
			"\ufeff" + head + "      containers: [{name: app, livenessProbe: {tcpSocket: {port: 80}}}]\n",
			"\ufeff" + head + "      containers: [{name: app, livenessProbe: {tcpSocket: {port: 80}}, " + startupFlow + "}]\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := fixer().File(tt.file, []byte(tt.text))
			if diff := cmp.Diff(tt.want, string(r.Text)); diff != "" || len(r.Left) > 0 {
				t.Errorf("%v\n%s", r.Left, diff)
			}
			again := fixer().File(tt.file, r.Text)
			if len(again.Added)+len(again.Left) > 0 {
				t.Errorf("the second time adds %v and leaves %v", again.Added, again.Left)
			}
		})
	}
}

func TestAnnotationSaysWhatIsAdded(t *testing.T) {
	pod := func(inject string) []byte {
		return []byte("{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {probity.dev/inject: " + inject + "}}, spec: {containers: [{name: app, livenessProbe: {tcpSocket: {port: 80}}}]}}")
	}
	for inject, want := range map[string]int{"all": 1, "startup": 1, "budget": 0, "none": 0} {
		f := fixer()
		f.Injection.Startup = inject != "all"
		if r := f.File("a.yaml", pod(inject)); len(r.Added) != want || len(r.Left) > 0 {
			t.Errorf("inject %s adds %v, leaves %v", inject, r.Added, r.Left)
		}
	}
	r := fixer().File("a.yaml", pod("yes please"))
	want := `a.yaml:1: Pod p: annotation probity.dev/inject: inject "yes please" is not legal: must be all, startup, budget or none`
	if len(r.Left) != 1 || r.Left[0].Error() != want || len(r.Added) > 0 {
		t.Errorf("adds %v, leaves %v", r.Added, r.Left)
	}
}

func TestFileLeavesWhatItCannotWriteOrMustNotAdd(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a liveness probe that is refused", head + "      containers:\n      - name: app\n        livenessProbe:\n          httpGet: {path: /livez, port: 80}\n          failureThreshold: 1\n", []string{
			`a.yaml:9: Deployment shop: container "app" gets no startupProbe here: its livenessProbe breaks liveness-failure-threshold, and would be no better as a startup probe; mend it first`,
		}},
		{"a liveness probe with a misspelt field", head + "      containers:\n      - name: app\n        livenessProbe:\n          httpGet: {path: /livez, port: 80}\n          periodSecond: 20\n", []string{
			`a.yaml:9: Deployment shop: container "app" gets no startupProbe here: its livenessProbe has a field periodSecond that does not exist, and a copy would have it too; mend it first`,
		}},
		{"a budget that is not legal", strings.Replace(head, "{name: shop}", "{name: shop, annotations: {probity.dev/startup-budget: 10x}}", 1) + "      containers:\n      - name: app\n", []string{
			`a.yaml:3: Deployment shop: annotation probity.dev/startup-budget: "10x" is not legal: must be a duration such as 10m or 1h30m`,
		}},
		{"a startup probe of the user's own", head + "      containers:\n      - name: app\n        livenessProbe:\n          httpGet: {path: /livez, port: 80}\n        startupProbe:\n          httpGet: {path: /livez, port: 80}\n", nil},
		{"a Job", strings.NewReplacer("apps/v1", "batch/v1", "Deployment", "Job").Replace(head) + "      containers:\n      - name: app\n        livenessProbe:\n          httpGet: {path: /livez, port: 80}\n", nil},
		{
			"a container that shares its block with one that carries no probes",
			head + "      containers:\n      - &app\n        name: app\n        livenessProbe:\n          tcpSocket: {port: 80}\n      ephemeralContainers:\n      - *app\n",
			[]string{
				`a.yaml:10: Deployment shop: container "app" gets no startupProbe here: what stands there is shared by an anchor with something that gets another probe, or none`,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := fixer().File("a.yaml", []byte(tt.text))
			var got []string
			for _, e := range r.Left {
				got = append(got, e.Error())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if string(r.Text) != tt.text || len(r.Added) > 0 {
				t.Errorf("the text is changed: added %v\n%s", r.Added, r.Text)
			}
		})
	}
}

// FuzzBlockYAML: what is written in block style reads as the value it was.
func FuzzBlockYAML(f *testing.F) {
	f.Add(`{"exec":{"command":["sh","-c","a\nb\n","yes","1","","- x","é","a: b"]},"x":[],"y":{},"z":[[1,{"a":null}],true]}`)
	f.Add(`{"a":"\n x","b":" \n","c":"a\n\n","d":"#","e":"a\n\tb"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var want map[string]any
		// YAML allows no key of more than 1024 characters on one line.
		if len(text) > 1000 || json.Unmarshal([]byte(text), &want) != nil || len(want) == 0 {
			return
		}
		value, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "X", "value": want})
		if err != nil {
			t.Fatal(err)
		}
		written, err := blockYAML(value, 2)
		if err != nil {
			return
		}
		for d := range workload.DefaultKinds().Documents("a.yaml", []byte(written)) {
			var got map[string]any
			if err := json.Unmarshal(d.JSON(), &got); err != nil {
				t.Fatalf("%q is written\n%s\n%v", text, written, d.Errors)
			}
			if diff := cmp.Diff(want, got["value"]); diff != "" {
				t.Fatalf("%q is written\n%s\n%s", text, written, diff)
			}
		}
	})
}

// FuzzFlowYAML: what is written in flow style reads as the value it was, and ends
// where it is found to end.
func FuzzFlowYAML(f *testing.F) {
	f.Add(`{"exec":{"command":["sh","-c","a\nb\n","yes","1","","- x","é","a: b","}"]},"x":[],"y":{},"z":[[1,{"a":null}],true]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var want map[string]any
		if len(text) > 1000 || json.Unmarshal([]byte(text), &want) != nil || want == nil {
			return
		}
		value, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		written, err := flowYAML(value)
		if err != nil {
			return
		}
		object := "{apiVersion: v1, kind: X, value: " + written + "}"
		if end := flowEnd([]byte(object), 0); end != len(object) {
			t.Fatalf("%s ends at %d, not at %d", object, end, len(object))
		}
		for d := range workload.DefaultKinds().Documents("a.yaml", []byte(object)) {
			var got map[string]any
			if err := json.Unmarshal(d.JSON(), &got); err != nil {
				t.Fatalf("%q is written\n%s\n%v", text, object, d.Errors)
			}
			if diff := cmp.Diff(want, got["value"]); diff != "" {
				t.Fatalf("%q is written\n%s\n%s", text, object, diff)
			}
		}
	})
}
