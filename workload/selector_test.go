package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSelectorsMatchAsTheAPIServersDo(t *testing.T) {
	web := map[string]string{"app": "web", "tier": "front"}
	expression := func(key, operator string, values ...string) *Selector {
		return &Selector{MatchExpressions: []Requirement{{Key: key, Operator: operator, Values: values}}}
	}
	for _, tt := range []struct {
		name     string
		selector *Selector
		want     bool
	}{
		{"none selects nothing", nil, false},
		{"an empty one selects all", &Selector{}, true},
		{"all labels", &Selector{MatchLabels: map[string]string{"app": "web", "tier": "front"}}, true},
		{"one label of two", &Selector{MatchLabels: map[string]string{"app": "web", "tier": "back"}}, false},
		{"a label that is absent", &Selector{MatchLabels: map[string]string{"zone": ""}}, false},
		{"In a list", expression("app", "In", "shop", "web"), true},
		{"In another list", expression("app", "In", "shop"), false},
		{"In of an absent label", expression("zone", "In", ""), false},
		{"NotIn a list that has it", expression("app", "NotIn", "shop", "web"), false},
		{"NotIn another list", expression("app", "NotIn", "shop"), true},
		{"NotIn of an absent label", expression("zone", "NotIn", "a"), true},
		{"Exists", expression("app", "Exists"), true},
		{"Exists of an absent label", expression("zone", "Exists"), false},
		{"DoesNotExist", expression("app", "DoesNotExist"), false},
		{"DoesNotExist of an absent label", expression("zone", "DoesNotExist"), true},
		{"an operator that there is not", expression("app", "Gt", "1"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.selector.Matches(web); got != tt.want {
				t.Errorf("matches %v: %v", web, got)
			}
		})
	}
}

func TestAScaledObjectKeepsItsTarget(t *testing.T) {
	for name, tt := range map[string]struct{ target, want string }{
		"a Deployment by default": {`{"name":"web"}`, "apps/v1 Deployment web"},
		"another kind":            {`{"apiVersion":"apps/v1","kind":"StatefulSet","name":"db"}`, "apps/v1 StatefulSet db"},
	} {
		t.Run(name, func(t *testing.T) {
			obj, err := DefaultKinds().Decode([]byte(`{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"x"},"spec":{"scaleTargetRef":` + tt.target + `}}`))
			if err != nil {
				t.Fatal(err)
			}
			got := obj.Autoscaler.Target
			if diff := cmp.Diff(tt.want, got.APIVersion+" "+got.Kind+" "+got.Name); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnAutoscalerHasItsOwner(t *testing.T) {
	obj, err := DefaultKinds().Decode([]byte(`{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"x","deletionTimestamp":"2026-01-01T00:00:00Z",
		"ownerReferences":[{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","name":"web","controller":true}]},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Autoscaler{
		Ref:    Ref{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler", Name: "x"},
		Target: Ref{Kind: "Deployment", Name: "web"}, MinReplicas: 1, Deleting: true,
		Controller: &Owner{APIVersion: "keda.sh/v1alpha1", Kind: "ScaledObject", Name: "web", Controller: true},
	}
	if diff := cmp.Diff(want, obj.Autoscaler); diff != "" {
		t.Error(diff)
	}
}

func TestASelectorIsAnObjectOrNothing(t *testing.T) {
	for selector, want := range map[string]bool{`5`: false, `"app=web"`: false, `null`: true, `{"matchLabels":{"app":"web"}}`: true, `{"app":"web"}`: true} {
		obj, err := DefaultKinds().Decode([]byte(`{"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"x"},"spec":{"selector":` + selector + `,"template":{"spec":{"containers":[{"name":"app"}]}}}}`))
		legal := err == nil && len(obj.Workload.Problems) == 0
		if legal != want {
			t.Errorf("selector %s: legal %v, want %v (%v)", selector, legal, want, err)
		}
	}
}
