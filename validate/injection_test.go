package validate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload"
)

// asking is a workload of the annotations, with a container whose startup probe is as
// given and was injected.
func asking(t *testing.T, kind, annotations, startup string) *workload.Workload {
	t.Helper()
	containers := fmt.Sprintf(`"containers":[{"name":"app","livenessProbe":{"tcpSocket":{"port":1}}%s}]`, startup)
	text := fmt.Sprintf(`{"apiVersion":"apps/v1","kind":%q,"metadata":{"name":"web","annotations":{%s}},"spec":{"template":{"metadata":{"annotations":{"probity.dev/injected":"startup:app"}},"spec":{%s}}}}`,
		kind, annotations, containers)
	if kind == "Pod" {
		text = fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","annotations":{"probity.dev/injected":"startup:app",%s}},"spec":{%s}}`, annotations, containers)
	}
	o, err := workload.DefaultKinds().Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o.Workload
}

func TestWhatAnnotationsAskToInjectIsTold(t *testing.T) {
	const fiveMinutes = `,"startupProbe":{"tcpSocket":{"port":1},"failureThreshold":30,"periodSeconds":10}`
	tests := []struct {
		name, annotations, startup string
		kind                       string
		injects                    bool
		want                       []string
	}{
		{name: "what is legal says nothing", annotations: `"probity.dev/inject":"none","probity.dev/startup-budget":"5m"`, startup: fiveMinutes},
		{
			name: "injection that does not exist", annotations: `"probity.dev/inject":"nothing"`,
			want: []string{`metadata.annotations: annotation probity.dev/inject: inject "nothing" is not legal: must be all, startup, budget or none`},
		},
		{
			name: "a time that is none", annotations: `"probity.dev/startup-budget":"10x"`, startup: fiveMinutes,
			want: []string{`metadata.annotations: annotation probity.dev/startup-budget: "10x" is not legal: must be a duration such as 10m or 1h30m`},
		},
		{
			name: "no time", annotations: `"probity.dev/startup-budget":"0s"`,
			want: []string{`metadata.annotations: annotation probity.dev/startup-budget: "0s" is not legal: must be a duration such as 10m or 1h30m`},
		},
		{
			name: "more than was injected", annotations: `"probity.dev/startup-budget":"20m"`, startup: fiveMinutes,
			want: []string{`metadata.annotations: annotation probity.dev/startup-budget: asks for 20m, and the startupProbe that container "app" was given before gives 300 s and is not changed: set its failureThreshold 120`},
		},
		{
			name: "less than was injected, where it can be injected anew", annotations: `"probity.dev/startup-budget":"95s"`, startup: fiveMinutes, injects: true,
			want: []string{`metadata.annotations: annotation probity.dev/startup-budget: asks for 95s, and the startupProbe that container "app" was given before gives 300 s and is not changed: set its failureThreshold 10, or remove the startupProbe and it is injected anew`},
		},
		{name: "a part of a period", annotations: `"probity.dev/startup-budget":"4m51s"`, startup: fiveMinutes},
		{name: "a probe that is yet to come", annotations: `"probity.dev/startup-budget":"20m"`},
		{name: "a pod, which keeps its probes", annotations: `"probity.dev/startup-budget":"20m"`, startup: fiveMinutes, kind: "Pod"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.kind == "" {
				tt.kind = "StatefulSet"
			}
			policy := MustPolicy(Baseline).WithInjection(Injection{Startup: tt.injects})
			got := Judge{Policy: policy}.Workload(asking(t, tt.kind, tt.annotations, tt.startup))
			if diff := cmp.Diff(tt.want, messages(got.Notices)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnInjectedProbeIsJudgedByWhatWasAskedFor(t *testing.T) {
	const fiveHours = `,"startupProbe":{"tcpSocket":{"port":1},"failureThreshold":1800,"periodSeconds":10}`
	got := Judge{Policy: MustPolicy(Baseline)}.Workload(asking(t, "StatefulSet", `"probity.dev/startup-budget":"5h"`, fiveHours))
	want := []string{`metadata.annotations["probity.dev/startup-budget"] asks for 5h to start, over 30 min; until then a container that never comes up looks as if it were starting. Ask for 30 min or less. [startup-budget]`}
	var told []string
	for i := range got.Findings {
		told = append(told, got.Findings[i].String())
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnAnnotationThatRefusesInjectionIsHeededInJudging(t *testing.T) {
	policy := MustPolicy(Strict).WithInjection(Injection{Startup: true})
	for annotations, want := range map[string]bool{`"a":"b"`: false, `"probity.dev/inject":"none"`: true, `"probity.dev/inject":"nothing"`: false} {
		got := Judge{Policy: policy}.Workload(asking(t, "Deployment", annotations, ""))
		missing := false
		for i := range got.Findings {
			missing = missing || got.Findings[i].Rule == "startup-missing"
		}
		if missing != want {
			t.Errorf("%s: startup-missing is found: %v", annotations, missing)
		}
	}
}

func TestAnInjectedProbeHasAtLeastOneFailure(t *testing.T) {
	startup := &workload.Probe{PeriodSeconds: 10, TimeoutSeconds: 1, SuccessThreshold: 1, FailureThreshold: 30}
	for asked, want := range map[time.Duration]string{time.Second: "failureThreshold 1", 11 * time.Second: "failureThreshold 2"} {
		text := outdated(&workload.Workload{}, &workload.Container{Name: "app", Startup: startup}, asked, MustPolicy(Baseline))
		if !strings.HasSuffix(text, "set its "+want) {
			t.Errorf("asked for %s: %s", asked, text)
		}
	}
}
