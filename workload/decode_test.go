package workload

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"app","namespace":"shop","labels":{"a":"b"},
"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}","probity.dev/inject":"none"},
"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"x","controller":true}]},
"spec":{"replicas":3,"selector":{"matchLabels":{"app":"app"}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%"}},
"template":{"metadata":{"labels":{"app":"app"}},"spec":{"initContainers":[{"name":"init","livenessProbe":{"exec":{"command":["x"]}}},
{"name":"proxy","restartPolicy":"Always","livenessProbe":{"tcpSocket":{"port":"admin"}}}],
"containers":[{"name":"app","image":"app:1","ports":[{"name":"http","containerPort":8080}],
"livenessProbe":{"httpGet":{"path":"/livez","port":8080,"protocol":"h2c"},"periodSeconds":5,"failureThreshold":null}}]}}}}`

func TestDecodeReadsADeploymentInOnePass(t *testing.T) {
	got, err := DefaultKinds().Decode([]byte(deployment))
	if err != nil {
		t.Fatal(err)
	}
	ref := Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "app"}
	replicas := int32(3)
	want := &Object{Ref: ref, Workload: &Workload{
		Ref: ref, Labels: map[string]string{"a": "b"},
		Annotations: Annotations{"probity.dev/inject": "none"},
		Controller:  &Owner{APIVersion: "v1", Kind: "X", Name: "x", Controller: true},
		Replicas:    &replicas,
		Selector:    &Selector{MatchLabels: map[string]string{"app": "app"}},
		Rollout:     Rollout{Type: "RollingUpdate", MaxUnavailable: &IntOrPercent{Text: "25%", Value: 25, Percent: true}},
		Pod: Pod{
			Path: "spec.template.spec", Labels: map[string]string{"app": "app"},
			Containers: []Container{
				{
					Name: "app", Image: "app:1", Ports: []ContainerPort{{Name: "http", ContainerPort: 8080}},
					Liveness: &Probe{
						HTTPGet:        &HTTPGet{Path: "/livez", Port: Port{Number: 8080}},
						TimeoutSeconds: 1, PeriodSeconds: 5, SuccessThreshold: 1, FailureThreshold: 3,
					},
				},
				{
					Name: "proxy", RestartPolicy: "Always", Sidecar: true, Index: 1,
					Liveness: &Probe{
						TCPSocket:      &TCPSocket{Port: Port{Name: "admin"}},
						TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
					},
				},
			},
		},
		Problems: []Problem{{
			Path:    "spec.template.spec.initContainers[0].livenessProbe",
			Message: "is set; an init container must not have it unless its restartPolicy is Always",
		}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if path := got.Workload.Pod.ContainerPath(&got.Workload.Pod.Containers[1]); path != "spec.template.spec.initContainers[1]" {
		t.Errorf("sidecar's path is %s", path)
	}
}

func TestDecodeNamesIllegalFieldsAndReadsTheRest(t *testing.T) {
	const spec = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":%s}`
	tests := []struct {
		name, spec string
		want       []string
	}{
		{"null containers", `{"containers":null}`, []string{
			"spec.containers: must list at least one container",
		}},
		{"a string for a number", `{"hostNetwork":"yes","containers":[{"name":"a","livenessProbe":{"tcpSocket":{"port":1.5},"periodSeconds":"10"}}]}`, []string{
			`spec.hostNetwork: must be true or false, is "yes"`,
			`spec.containers[0].livenessProbe.tcpSocket.port: must be a port number or the name of a port, is 1.5`,
			`spec.containers[0].livenessProbe.periodSeconds: must be a whole number, is "10"`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			obj, err := DefaultKinds().Decode([]byte(fmt.Sprintf(spec, tt.spec)))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range obj.Workload.Problems {
				got = append(got, p.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEnvironmentIsReadForCommands(t *testing.T) {
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"a","env":[{"name":"A","value":1},{"name":"B","value":"b"}],"envFrom":[{"prefix":"X"}],"livenessProbe":%s}]}}`
	t.Run("a command", func(t *testing.T) {
		obj, err := DefaultKinds().Decode(fmt.Appendf(nil, pod, `{"exec":{"command":["true"]}}`))
		if err != nil {
			t.Fatal(err)
		}
		want := []Problem{{Path: "spec.containers[0].env[0].value", Message: "must be a string, is 1; quote it"}}
		if diff := cmp.Diff(want, obj.Workload.Problems); diff != "" {
			t.Error(diff)
		}
		c := obj.Workload.Pod.Containers[0]
		if diff := cmp.Diff([]EnvVar{{Name: "A"}, {Name: "B", Value: "b"}}, c.Env); diff != "" || len(c.EnvFrom) != 1 {
			t.Errorf("%s, %v", diff, c.EnvFrom)
		}
	})
	t.Run("no command", func(t *testing.T) {
		obj, err := DefaultKinds().Decode(fmt.Appendf(nil, pod, `{"tcpSocket":{"port":1}}`))
		if err != nil {
			t.Fatal(err)
		}
		c := obj.Workload.Pod.Containers[0]
		if c.Env != nil || c.RawEnv != nil || len(obj.Workload.Problems) > 0 {
			t.Errorf("%+v, %v", c, obj.Workload.Problems)
		}
	})
}

func TestDecodeReadsGroupsOfOldFiles(t *testing.T) {
	for _, old := range []string{"extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"} {
		data := fmt.Sprintf(`{"apiVersion":%q,"kind":"Deployment","metadata":{"name":"app"},"spec":{"template":{"spec":{"containers":[{"name":"app"}]}}}}`, old)
		got, err := DefaultKinds().Decode([]byte(data))
		if err != nil || got.Workload == nil {
			t.Errorf("%s: wants the workload, got %v, %v", old, got, err)
		}
	}
}
