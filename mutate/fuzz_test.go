package mutate

import (
	"encoding/json"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// FuzzStartup: whatever the object, the patch fits it, only adds, and a second one
// has nothing left to add.
func FuzzStartup(f *testing.F) {
	f.Add(wrap("Deployment", "", `{"containers":[{"name":"app",`+livez+`}],"initContainers":[{"name":"a"},{"name":"b","restartPolicy":"Always",`+livez+`}]}`))
	f.Add(wrap("CronJob", `,"annotations":{"probity.dev/startup-budget":"10m"}`, `{"containers":[{"name":"app",`+livez+`}]}`))
	f.Add(wrap("Pod", `,"annotations":{"probity.dev/injected":"startup:app","a/b~c":"x"}`, `{"containers":[{"name":"app",`+livez+`,"startupProbe":null}]}`))
	f.Fuzz(func(t *testing.T, raw string) {
		// With a name that stands twice, an object is another one to other readers.
		if !jsontext.Value(raw).IsValid() {
			return
		}
		obj, err := workload.DefaultKinds().Decode([]byte(raw))
		if err != nil || obj.Workload == nil {
			return
		}
		first := inject(t, raw)
		if len(first) == 0 {
			return
		}
		ops, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		patch, err := jsonpatch.DecodePatch(ops)
		if err != nil {
			t.Fatalf("%s: %v", ops, err)
		}
		for _, op := range first {
			if op.Op == "remove" {
				t.Fatalf("%s takes something away from %s", ops, raw)
			}
		}
		patched, err := patch.Apply([]byte(raw))
		if err != nil {
			t.Fatalf("%s does not fit %s: %v", ops, raw, err)
		}
		if second := inject(t, string(patched)); len(second) > 0 {
			t.Fatalf("%s, patched by %s, is patched again by %+v", raw, ops, second)
		}
	})
}

func inject(t *testing.T, raw string) []Operation {
	t.Helper()
	obj := object(t, raw)
	in, err := Startup(obj, nil, validate.Evaluate(obj.Workload, validate.MustPolicy(validate.Baseline)), DefaultStartupBudget)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return in.Patch
}
