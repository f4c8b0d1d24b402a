package budget

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

const (
	deployments  = "/apis/apps/v1/deployments"
	statefulSets = "/apis/apps/v1/statefulsets"
	budgetsPath  = "/apis/policy/v1/poddisruptionbudgets"
	autoscalers  = "/apis/autoscaling/v2/horizontalpodautoscalers"
)

func decodeYAML(t testing.TB, text string) map[string]any {
	t.Helper()
	var o map[string]any
	if err := yaml.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func deployment(name, labels string, replicas int) string {
	return fmt.Sprintf(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s, namespace: shop, labels: {team: a}, annotations: {note: x, probity.dev/inject: all}}, spec: {replicas: %d,
		selector: {matchLabels: {%s}}, template: {metadata: {labels: {%s}}, spec: {containers: [{name: app, image: app}]}}}}`, name, replicas, labels, labels)
}

func pdb(name, selector string) string {
	return fmt.Sprintf(`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: %s, namespace: shop}, spec: {maxUnavailable: 1, selector: {matchLabels: {%s}}}}`, name, selector)
}

func names(objects []*workload.Object) []string {
	var all []string
	for _, o := range objects {
		all = append(all, o.Ref.String())
	}
	return all
}

// held returns all objects of a namespace in order.
func held(s *State, namespace string) []*workload.Object {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []*workload.Object
	if in := s.spaces[namespace]; in != nil {
		for _, id := range slices.SortedFunc(maps.Keys(in.records), compareIdentities) {
			all = append(all, in.records[id].object)
		}
	}
	return all
}

func TestStateHoldsWhatRulesRead(t *testing.T) {
	for _, oldFashioned := range []bool{false, true} {
		t.Run(fmt.Sprintf("oldFashioned=%t", oldFashioned), func(t *testing.T) {
			a := newAPIServer(t)
			a.oldFashioned = oldFashioned
			a.put(t, deployments, deployment("web", "app: web", 3))
			a.put(t, budgetsPath, pdb("web", "app: web"))
			a.put(t, autoscalers, `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web, namespace: shop},
				spec: {minReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`)
			s := newTestState(t, a)
			eventually(t, "sync", s.Synced)

			three := int32(3)
			ref := func(version, kind string) workload.Ref {
				return workload.Ref{APIVersion: version, Kind: kind, Namespace: "shop", Name: "web"}
			}
			web := ref("apps/v1", "Deployment")
			labels := map[string]string{"app": "web"}
			want := []*workload.Object{
				{Ref: web, Workload: &workload.Workload{
					Ref: web, Labels: map[string]string{"team": "a"}, Annotations: workload.Annotations{"probity.dev/inject": "all"}, Replicas: &three,
					Selector: &workload.Selector{MatchLabels: labels},
					Pod:      workload.Pod{Path: "spec.template.spec", Labels: labels},
				}},
				{Ref: ref("autoscaling/v2", "HorizontalPodAutoscaler"), Autoscaler: &workload.Autoscaler{
					Ref: ref("autoscaling/v2", "HorizontalPodAutoscaler"), Target: web, MinReplicas: 2,
				}},
				{Ref: ref("policy/v1", "PodDisruptionBudget"), Budget: &workload.Budget{
					Ref: ref("policy/v1", "PodDisruptionBudget"), MaxUnavailable: &workload.IntOrPercent{Text: "1", Value: 1},
					Selector: &workload.Selector{MatchLabels: labels},
				}},
			}
			if diff := cmp.Diff(want, held(s, "shop"), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if got := held(s, "other"); got != nil {
				t.Errorf("another namespace has %v", names(got))
			}
		})
	}
}

// TestAFaultOfOursInOneObjectEndsNoWatch, nor the process: kinds that are not there are a
// fault of ours.
func TestAFaultOfOursInOneObjectEndsNoWatch(t *testing.T) {
	c := codec{kinds: new(atomic.Pointer[workload.Kinds]), kind: budgets().GroupVersionKind}
	i := c.item([]byte(`{"metadata":{"name":"web","namespace":"shop","uid":"u-1","resourceVersion":"7"}}`))
	want := &workload.Object{Ref: workload.Ref{APIVersion: "policy/v1", Kind: "PodDisruptionBudget", Namespace: "shop", Name: "web"}}
	if diff := cmp.Diff(want, i.object); diff != "" || i.Name != "web" || i.ResourceVersion != "7" || i.uid != "u-1" {
		t.Errorf("%+v (-want +got):\n%s", i.ObjectMeta, diff)
	}
}

func TestStateFollowsChanges(t *testing.T) {
	a := newAPIServer(t)
	a.put(t, deployments, deployment("web", "app: web", 3))
	s := newTestState(t, a)
	eventually(t, "sync", s.Synced)
	has := func(want ...string) {
		t.Helper()
		eventually(t, strings.Join(want, ", "), func() bool { return slices.Equal(names(held(s, "shop")), want) })
	}
	has("Deployment shop/web")
	a.put(t, statefulSets, strings.Replace(deployment("db", "app: db", 3), "Deployment", "StatefulSet", 1))
	has("Deployment shop/web", "StatefulSet shop/db")
	a.put(t, deployments, deployment("web", "app: web", 1))
	eventually(t, "one replica", func() bool { return *held(s, "shop")[0].Workload.Replicas == 1 })
	a.remove(deployments, "shop/web")
	has("StatefulSet shop/db")
}

func TestStateTellsWhomAChangeConcerns(t *testing.T) {
	var told []string
	s, err := NewState(StateOptions{Config: &rest.Config{Host: "http://127.0.0.1:1"}, Kinds: workload.DefaultKinds()})
	if err != nil {
		t.Fatal(err)
	}
	s.Subscribe(func(ids []validate.Identity) {
		for _, id := range ids {
			told = append(told, id.Kind+" "+id.Name)
		}
	})
	for _, text := range []string{deployment("web", "app: web", 3), deployment("other", "app: other", 3)} {
		s.put(recordOf(t, text))
	}
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a new status concerns nobody", deployment("web", "app: web", 3), nil},
		{"a scaled workload concerns itself", deployment("web", "app: web", 2), []string{"Deployment web"}},
		{"a budget concerns whom it selects", pdb("web", "app: web"), []string{"Deployment web"}},
		{"a changed budget concerns whom it selected, too", pdb("web", "app: other"), []string{"Deployment other", "Deployment web"}},
		{"an autoscaler concerns its target", `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: shop},
			spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: other}}}`, []string{"Deployment other"}},
		{"a workload concerns those with which it shares pods", deployment("canary", "app: web, track: canary", 2), []string{"Deployment canary", "Deployment web"}},
		{"a budget with no match concerns nobody", pdb("nobody", "app: nobody"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			told = nil
			s.put(recordOf(t, tt.text))
			slices.Sort(told)
			if diff := cmp.Diff(tt.want, told); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// recordOf decodes an object as a watch does.
func recordOf(t testing.TB, text string) *record {
	t.Helper()
	o := decodeYAML(t, text)
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &decodeItem(workload.DefaultKinds(), data, o["apiVersion"].(string), o["kind"].(string)).record
}

func TestStateWatchesNothingUntilItIsWanted(t *testing.T) {
	a := newAPIServer(t)
	s, err := NewState(StateOptions{Config: &rest.Config{Host: a.URL}, Kinds: workload.DefaultKinds()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Start(ctx) }()
	if s.Synced() {
		t.Error("synced")
	}
	cancel()
	if err := <-done; err != nil || a.asked != 0 {
		t.Errorf("%d requests, error %v", a.asked, err)
	}
}

const rollout = `{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {name: web, namespace: shop}, spec: {replicas: 3,
	selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: app}]}}}}`

func (a *apiServer) define(group, version, kind, plural string, scaled bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	gv := group + "/" + version
	a.groups["/apis/"+group] = fmt.Sprintf(`{"kind":"APIGroup","name":%q,"preferredVersion":{"groupVersion":%q,"version":%q}}`, group, gv, version)
	list := fmt.Sprintf(`{"name":%q,"namespaced":true,"kind":%q}`, plural, kind)
	if scaled {
		list += fmt.Sprintf(`,{"name":"%s/scale","namespaced":true,"kind":"Scale"}`, plural)
	}
	a.groups["/apis/"+gv] = fmt.Sprintf(`{"kind":"APIResourceList","groupVersion":%q,"resources":[%s]}`, gv, list)
}

func TestStateWatchesCustomKindsThatAreThere(t *testing.T) {
	const rollouts = "/apis/argoproj.io/v1alpha1/rollouts"
	a := newAPIServer(t)
	s := newTestState(t, a)
	eventually(t, "sync", s.Synced)
	a.put(t, rollouts, rollout)
	a.define("argoproj.io", "v1alpha1", "Rollout", "rollouts", true)
	s.Use(workload.DefaultKinds())
	eventually(t, "the Rollout", func() bool { return slices.Equal(names(held(s, "shop")), []string{"Rollout shop/web"}) })

	a.mu.Lock()
	clear(a.groups)
	a.mu.Unlock()
	s.Use(workload.DefaultKinds())
	eventually(t, "the Rollout's end", func() bool { return len(held(s, "shop")) == 0 })
}

func TestStateDoesWithoutACustomKindThatItMayNotRead(t *testing.T) {
	a := newAPIServer(t)
	a.define("argoproj.io", "v1alpha1", "Rollout", "rollouts", true)
	a.refused["/apis/argoproj.io/v1alpha1/rollouts"] = true
	s := newTestState(t, a)
	eventually(t, "sync", s.Synced)
}

func TestStateIsNotSyncedWhenItMayNotReadAutoscalers(t *testing.T) {
	a := newAPIServer(t)
	a.refused[autoscalers] = true
	a.put(t, deployments, deployment("web", "app: web", 3))
	s := newTestState(t, a)
	eventually(t, "the Deployment", func() bool { return len(held(s, "shop")) == 1 })
	if s.Synced() {
		t.Error("synced, and does not know the floors")
	}
}

func TestAStateThatBecomesWholeTellsOfEverything(t *testing.T) {
	a := newAPIServer(t)
	a.refused[autoscalers] = true
	a.put(t, deployments, deployment("web", "app: web", 3))
	s := newTestState(t, a)
	eventually(t, "the Deployment", func() bool { return len(held(s, "shop")) == 1 })
	told := make(chan []validate.Identity, 10)
	s.Subscribe(func(ids []validate.Identity) { told <- ids })
	a.mu.Lock()
	a.refused[autoscalers] = false
	a.mu.Unlock()
	eventually(t, "sync", s.Synced)
	want := []validate.Identity{{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}}
	if diff := cmp.Diff(want, <-told); diff != "" {
		t.Error(diff)
	}
}

func TestACustomKindWithoutScaleIsNotWatched(t *testing.T) {
	a := newAPIServer(t)
	a.define("argoproj.io", "v1alpha1", "Rollout", "rollouts", false)
	a.put(t, "/apis/argoproj.io/v1alpha1/rollouts", rollout)
	s := newTestState(t, a)
	eventually(t, "sync", s.Synced)
	if got := held(s, "shop"); got != nil {
		t.Errorf("has %v", names(got))
	}
}
