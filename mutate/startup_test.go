package mutate

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

func object(t *testing.T, raw string) Object {
	t.Helper()
	obj, err := workload.DefaultKinds().Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if obj.Workload == nil {
		t.Fatalf("%s has no pod template", obj.Ref)
	}
	return Object{Workload: obj.Workload, Raw: []byte(raw)}
}

// apply runs the injection as the webhook does and returns the patched object.
func apply(t *testing.T, raw string, old *Object) (string, Injection) {
	t.Helper()
	obj := object(t, raw)
	in, err := Startup(obj, old, validate.Evaluate(obj.Workload, validate.MustPolicy(validate.Baseline)), DefaultStartupBudget)
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Patch) == 0 {
		return raw, in
	}
	ops, err := json.Marshal(in.Patch)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(ops)
	if err != nil {
		t.Fatal(err)
	}
	patched, err := patch.Apply([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return string(patched), in
}

const (
	livez = `"livenessProbe":{"httpGet":{"path":"/livez","port":8080,"protocol":"h2c"},"initialDelaySeconds":20,"periodSeconds":30,"timeoutSeconds":2,"terminationGracePeriodSeconds":5,"futureKnob":[1,{"a":null}]}`
	kinds = `Pod ReplicationController ReplicaSet Deployment StatefulSet DaemonSet Rollout`
)

func wrap(kind, annotations, containers string) string {
	version := map[string]string{"Pod": "v1", "ReplicationController": "v1", "Job": "batch/v1", "CronJob": "batch/v1", "Rollout": "argoproj.io/v1alpha1"}[kind]
	if version == "" {
		version = "apps/v1"
	}
	meta := `{"name":"app"` + annotations + `}`
	switch kind {
	case "Pod":
		return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":%s,"spec":%s}`, version, kind, meta, containers)
	case "CronJob":
		return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":%s,"spec":{"jobTemplate":{"spec":{"template":{"spec":%s}}}}}`, version, kind, meta, containers)
	default:
		return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":%s,"spec":{"replicas":2,"template":{"spec":%s}}}`, version, kind, meta, containers)
	}
}

func TestStartupCopiesTheLivenessProbeOfEveryKind(t *testing.T) {
	for kind := range strings.FieldsSeq(kinds) {
		t.Run(kind, func(t *testing.T) {
			raw := wrap(kind, "", `{"initContainers":[{"name":"init"},{"name":"proxy","restartPolicy":"Always","livenessProbe":{"tcpSocket":{"port":1}}}],"containers":[{"name":"app",`+livez+`},{"name":"no-probe"}]}`)
			_, in := apply(t, raw, nil)
			spec, meta := "/spec/template/spec", Operation{"add", "/spec/template/metadata", []byte(`{"annotations":{"probity.dev/injected":"startup:app,proxy"}}`)}
			if kind == "Pod" {
				spec, meta = "/spec", Operation{"add", "/metadata/annotations", []byte(`{"probity.dev/injected":"startup:app,proxy"}`)}
			}
			want := Injection{Containers: []string{"app", "proxy"}, Patch: []Operation{
				{"add", spec + "/containers/0/startupProbe", []byte(`{"httpGet":{"path":"/livez","port":8080,"protocol":"h2c"},"timeoutSeconds":2,"terminationGracePeriodSeconds":5,"futureKnob":[1,{"a":null}],"failureThreshold":30,"periodSeconds":10}`)},
				{"add", spec + "/initContainers/1/startupProbe", []byte(`{"tcpSocket":{"port":1},"failureThreshold":30,"periodSeconds":10}`)},
				meta,
			}}
			if diff := cmp.Diff(want, in); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStartupLeavesAlone(t *testing.T) {
	app := `{"containers":[{"name":"app",` + livez + `}]}`
	for name, raw := range map[string]string{
		"a Job":                          wrap("Job", "", app),
		"a CronJob":                      wrap("CronJob", "", app),
		"a Pod that a controller made":   wrap("Pod", `,"ownerReferences":[{"kind":"ReplicaSet","name":"x","controller":true}]`, app),
		"a mirror Pod":                   wrap("Pod", `,"annotations":{"kubernetes.io/config.mirror":"x"}`, app),
		"an object that is deleted":      wrap("Deployment", `,"deletionTimestamp":"2026-01-01T00:00:00Z"`, app),
		"a startup probe of the user":    wrap("Deployment", "", `{"containers":[{"name":"app","startupProbe":{"tcpSocket":{"port":1}},`+livez+`}]}`),
		"no liveness":                    wrap("Deployment", "", `{"containers":[{"name":"app","readinessProbe":{"tcpSocket":{"port":1}}}]}`),
		"a liveness that is refused":     wrap("Deployment", "", `{"containers":[{"name":"app","livenessProbe":{"tcpSocket":{"port":1},"failureThreshold":1}}]}`),
		"a liveness that is illegal":     wrap("Deployment", "", `{"containers":[{"name":"app","livenessProbe":{"periodSeconds":-1}}]}`),
		"a port that the kind fills in":  wrap("Rollout", "", `{"containers":[{"name":"app","livenessProbe":{"httpGet":{"path":"/livez"}}}]}`),
		"a plain init container's probe": wrap("Deployment", "", `{"initContainers":[{"name":"init",`+livez+`}],"containers":[{"name":"app"}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			if _, in := apply(t, raw, nil); len(in.Patch) > 0 {
				t.Errorf("patched: %+v", in)
			}
		})
	}
}

func TestStartupTiming(t *testing.T) {
	tests := []struct {
		name            string
		period, timeout int32
		budget          time.Duration
		want            Timing
	}{
		{"a short period is kept", 5, 1, 5 * time.Minute, Timing{5, 60}},
		{"a long period is cut to ten seconds", 30, 1, 5 * time.Minute, Timing{10, 30}},
		{"the period stays above the timeout", 60, 20, 5 * time.Minute, Timing{21, 15}},
		{"the budget is rounded up", 7, 1, 5 * time.Minute, Timing{7, 43}},
		{"a part of a second counts", 10, 1, 10*time.Second + 1, Timing{10, 2}},
		{"an endless budget does not overflow", 1, 1, 1 << 62, Timing{2, 1<<31 - 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := StartupTiming(&workload.Probe{PeriodSeconds: tt.period, TimeoutSeconds: tt.timeout}, tt.budget)
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestStartupBudget(t *testing.T) {
	container := func(timing string) string {
		return `{"containers":[{"name":"app","livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":10` + timing + `}}]}`
	}
	for name, tt := range map[string]struct {
		raw  string
		want string
	}{
		"five minutes without more":             {wrap("Deployment", "", container("")), `"failureThreshold":30`},
		"what liveness gave, when that is more": {wrap("Deployment", "", container(`,"initialDelaySeconds":600`)), `"failureThreshold":64`},
		"the annotation wins":                   {wrap("Deployment", `,"annotations":{"probity.dev/startup-budget":"2m"}`, container(`,"initialDelaySeconds":600`)), `"failureThreshold":12`},
		"an annotation that is none does not":   {wrap("Deployment", `,"annotations":{"probity.dev/startup-budget":"soon"}`, container("")), `"failureThreshold":30`},
	} {
		t.Run(name, func(t *testing.T) {
			if patched, _ := apply(t, tt.raw, nil); !strings.Contains(patched, tt.want) {
				t.Errorf("want %s in %s", tt.want, patched)
			}
		})
	}
}

func TestStartupKeepsOtherAnnotations(t *testing.T) {
	pod := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"x"}},"spec":{"containers":[{"name":"app",` + livez + `}]}}`
	patched, _ := apply(t, pod, nil)
	for _, want := range []string{`"kubectl.kubernetes.io/last-applied-configuration":"x"`, `"probity.dev/injected":"startup:app"`} {
		if !strings.Contains(patched, want) {
			t.Errorf("want %s in %s", want, patched)
		}
	}
}

func TestTheNoteNamesThoseFromBefore(t *testing.T) {
	pod := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":{"probity.dev/injected":"startup:old,gone,bare"}},"spec":{"containers":[` +
		`{"name":"old","startupProbe":{"tcpSocket":{"port":1}}},{"name":"bare"},{"name":"app",` + livez + `}]}}`
	if patched, _ := apply(t, pod, nil); !strings.Contains(patched, `"probity.dev/injected":"startup:old,app"`) {
		t.Errorf("got %s", patched)
	}
}

func TestAnObjectThatIsNotWhatItWasReadFromIsAnError(t *testing.T) {
	obj := object(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"app",`+livez+`}]}}`)
	for name, tt := range map[string]struct{ raw, want string }{
		"without the list":        {`{"spec":{}}`, `Pod p: container "app": /spec/containers: no such field`},
		"with no list":            {`{"spec":{"containers":5}}`, `Pod p: container "app": /spec/containers: must be a list`},
		"with a shorter list":     {`{"spec":{"containers":[]}}`, `Pod p: container "app": no such field`},
		"with other annotations":  {`{"metadata":{"annotations":5},"spec":{"containers":[{"name":"app",` + livez + `}]}}`, `Pod p: /metadata/annotations must be an object, is 5`},
		"without its annotations": {`{"spec":{"containers":[{"name":"app",` + livez + `}]}}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			obj.Raw = []byte(tt.raw)
			_, err := Startup(obj, nil, nil, DefaultStartupBudget)
			if got := fmt.Sprint(err); err != nil && got != tt.want || err == nil && tt.want != "" {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestStartupBudgetsAreThoseOfTheProbes(t *testing.T) {
	obj := object(t, wrap("Deployment", "", `{"containers":[{"name":"app",`+livez+`},{"name":"own","startupProbe":{"tcpSocket":{"port":1}},`+livez+`},`+
		`{"name":"quick","livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":7}},{"name":"none"}]}`))
	want := map[string]time.Duration{"app": 5 * time.Minute, "quick": 301 * time.Second}
	if diff := cmp.Diff(want, StartupBudgets(obj.Workload, nil, DefaultStartupBudget)); diff != "" {
		t.Error(diff)
	}
}

// TestUpdates plays what kubectl sends: the template counts, not the operation.
func TestUpdates(t *testing.T) {
	plain := wrap("Deployment", "", `{"containers":[{"name":"app",`+livez+`}]}`)
	injectedRaw, _ := apply(t, plain, nil)
	legacy, inject := object(t, plain), object(t, injectedRaw)

	t.Run("a template that stays as it is gets nothing", func(t *testing.T) {
		scaled := strings.Replace(plain, `"replicas":2`, `"replicas":5`, 1)
		if _, in := apply(t, scaled, &legacy); len(in.Patch) > 0 {
			t.Errorf("patched: %+v", in)
		}
	})
	t.Run("a template that changes gets its probe", func(t *testing.T) {
		changed := strings.Replace(plain, `"name":"app",`, `"name":"app","image":"app:2",`, 1)
		if _, in := apply(t, changed, &legacy); len(in.Containers) != 1 {
			t.Errorf("got %+v", in)
		}
	})
	t.Run("a replace without the probe ends where it was", func(t *testing.T) {
		if again, _ := apply(t, plain, &inject); again != injectedRaw {
			t.Errorf("got  %s\nwant %s", again, injectedRaw)
		}
	})
	t.Run("a probe from an earlier version comes back as it was", func(t *testing.T) {
		earlier := strings.Replace(injectedRaw, `"failureThreshold":30`, `"failureThreshold":99`, 1)
		old := object(t, earlier)
		if again, _ := apply(t, plain, &old); again != earlier {
			t.Errorf("got  %s\nwant %s", again, earlier)
		}
	})
	t.Run("a budget that is asked for now counts where the probe is left out", func(t *testing.T) {
		asks := func(raw, budget string) string {
			return strings.Replace(raw, `"name":"app"`, `"name":"app","annotations":{"probity.dev/startup-budget":"`+budget+`"}`, 1)
		}
		for name, tt := range map[string]struct{ before, now, want string }{
			"asked for since the probe was injected":  {asks(injectedRaw, "20m"), asks(plain, "20m"), `"failureThreshold":120`},
			"asked for in this update":                {injectedRaw, asks(plain, "20m"), `"failureThreshold":120`},
			"not asked for any more":                  {strings.Replace(asks(injectedRaw, "20m"), `"failureThreshold":30`, `"failureThreshold":120`, 1), plain, `"failureThreshold":30`},
			"given as it is, by an earlier version":   {strings.NewReplacer(`"failureThreshold":30,"periodSeconds":10`, `"failureThreshold":240,"periodSeconds":5`).Replace(asks(injectedRaw, "20m")), asks(plain, "1200s"), `"failureThreshold":240,"periodSeconds":5`},
			"not legal, which asks for nothing":       {strings.Replace(injectedRaw, `"failureThreshold":30`, `"failureThreshold":99`, 1), asks(plain, "20x"), `"failureThreshold":99`},
			"the least that can be asked for":         {injectedRaw, asks(plain, "1ns"), `"failureThreshold":1,`},
			"the one that the probe gives in periods": {injectedRaw, asks(plain, "295s"), `"failureThreshold":30`},
		} {
			old := object(t, tt.before)
			if again, _ := apply(t, tt.now, &old); !strings.Contains(again, tt.want) {
				t.Errorf("%s: want %s in %s", name, tt.want, again)
			}
		}
	})
	t.Run("a probe of the user's own does not come back", func(t *testing.T) {
		old := object(t, strings.Replace(plain, livez, livez+`,"startupProbe":{"tcpSocket":{"port":1}}`, 1))
		if again, _ := apply(t, plain, &old); again != injectedRaw {
			t.Errorf("got  %s\nwant %s", again, injectedRaw)
		}
	})
	t.Run("a changed liveness probe gets a new one", func(t *testing.T) {
		changed := strings.Replace(plain, "/livez", "/alive", 1)
		if again, _ := apply(t, changed, &inject); !strings.Contains(again, `"startupProbe":{"httpGet":{"path":"/alive"`) {
			t.Errorf("got %s", again)
		}
	})
}

// TestTwiceIsOnce builds random workloads and applies the injection again: the
// second time adds nothing, and nothing that was there has changed.
func TestTwiceIsOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kind := strings.Fields(kinds + " Job CronJob")
	for range 500 {
		raw := wrap(kind[rng.IntN(len(kind))], "", randomSpec(rng))
		once, _ := apply(t, raw, nil)
		twice, in := apply(t, once, nil)
		if len(in.Patch) > 0 || twice != once {
			t.Fatalf("a second time changes\n%s\nby %+v", once, in)
		}
		old := object(t, once)
		if again, _ := apply(t, raw, &old); !jsonEqual(t, again, once) {
			t.Fatalf("a replace changes\n%s\nto\n%s", once, again)
		}
	}
}

func randomSpec(rng *rand.Rand) string {
	var lists [2][]string
	for i := range 1 + rng.IntN(5) {
		c := fmt.Sprintf(`{"name":"c%d"`, i)
		if rng.IntN(4) > 0 {
			c += fmt.Sprintf(`,"livenessProbe":{"tcpSocket":{"port":%d},"periodSeconds":%d,"timeoutSeconds":%d,"failureThreshold":%d,"x":%d}`,
				rng.IntN(3), rng.IntN(40), rng.IntN(20), rng.IntN(5), i)
		}
		if rng.IntN(4) == 0 {
			c += `,"startupProbe":{"exec":{"command":["true"]}}`
		}
		init := rng.IntN(2)
		if init == 1 && rng.IntN(2) == 0 {
			c += `,"restartPolicy":"Always"`
		}
		lists[init] = append(lists[init], c+"}")
	}
	return `{"containers":[` + strings.Join(lists[0], ",") + `],"initContainers":[` + strings.Join(lists[1], ",") + `]}`
}

func jsonEqual(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		t.Fatal("not JSON")
	}
	return cmp.Equal(x, y)
}
