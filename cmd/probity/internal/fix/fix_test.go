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
	return &Fixer{Kinds: workload.DefaultKinds(), Judge: validate.Judge{Policy: validate.MustPolicy(validate.Baseline)}, Budget: mutate.DefaultStartupBudget}
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

func TestFileLeavesWhatItCannotWriteOrMustNotAdd(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a liveness probe that is refused", head + "      containers:\n      - name: app\n        livenessProbe:\n          httpGet: {path: /livez, port: 80}\n          failureThreshold: 1\n", nil},
		{"a startup probe of the user's own", head + "      containers:\n      - name: app\n        livenessProbe:\n          httpGet: {path: /livez, port: 80}\n        startupProbe:\n          httpGet: {path: /livez, port: 80}\n", nil},
		{"a Job", strings.NewReplacer("apps/v1", "batch/v1", "Deployment", "Job").Replace(head) + "      containers:\n      - name: app\n        livenessProbe:\n          httpGet: {path: /livez, port: 80}\n", nil},
		{
			"flow style", head + "      containers: [{name: app, livenessProbe: {tcpSocket: {port: 80}}}]\n",
			[]string{`a.yaml:7: Deployment shop: container "app" gets no startupProbe here: its livenessProbe does not stand in a block of its own (JSON, flow style or an alias)`},
		},
		{
			"a container that shares its block with one that carries no probes",
			head + "      containers:\n      - &app\n        name: app\n        livenessProbe:\n          tcpSocket: {port: 80}\n      initContainers:\n      - *app\n",
			[]string{
				`a.yaml:10: Deployment shop: container "app" gets no startupProbe here: the text is laid out in a way that a probe cannot be added to, or an anchor shares it`,
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
