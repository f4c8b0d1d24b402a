package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInitContainersMustNotHaveWhatOnlyRunningOnesHave(t *testing.T) {
	const refused = "is set; an init container must not have it unless its restartPolicy is Always"
	const app = `"containers":[{"name":"app"}]`
	tests := []struct {
		name, spec string
		want       []Problem
	}{
		{
			"each probe and the hooks", app + `,"initContainers":[{"name":"a"},{"name":"b","livenessProbe":{"tcpSocket":{"port":1}},"readinessProbe":{},"startupProbe":{"exec":{}},"lifecycle":{}}]`,
			[]Problem{
				{"spec.initContainers[1].lifecycle", refused},
				{"spec.initContainers[1].livenessProbe", refused},
				{"spec.initContainers[1].readinessProbe", refused},
				{"spec.initContainers[1].startupProbe", refused},
			},
		},
		{"another restartPolicy is none that keeps it running", app + `,"initContainers":[{"name":"a","restartPolicy":"OnFailure","livenessProbe":{"tcpSocket":{"port":1}}}]`, []Problem{
			{"spec.initContainers[0].livenessProbe", refused},
		}},
		{"behind what else is wrong", `"containers":[],"initContainers":[{"name":"a","livenessProbe":{"periodSeconds":"1"}}]`, []Problem{
			{"spec.initContainers[0].livenessProbe.periodSeconds", `must be a whole number, is "1"`},
			{"spec.initContainers[0].livenessProbe", refused},
		}},
		{"no container besides", `"initContainers":[{"name":"a","lifecycle":{"preStop":{}}}]`, []Problem{
			{"spec.containers", "must list at least one container"},
			{"spec.initContainers[0].lifecycle", refused},
		}},
		{"a native sidecar may have them", app + `,"initContainers":[{"name":"a","restartPolicy":"Always","livenessProbe":{"tcpSocket":{"port":1}},"lifecycle":{}}]`, nil},
		{"null is not set", app + `,"initContainers":[{"name":"a","livenessProbe":null,"lifecycle":null},null]`, nil},
		{"the hooks of a container that keeps running", `"containers":[{"name":"app","lifecycle":{"preStop":{"sleep":{"seconds":5}}}}]`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			obj, err := DefaultKinds().Decode([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{` + tt.spec + `}}`))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, obj.Workload.Problems); diff != "" {
				t.Error(diff)
			}
		})
	}
}
