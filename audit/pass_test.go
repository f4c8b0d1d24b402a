package audit

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// TestAFaultOfOursHidesNoOtherObject judges an object without settings for its
// profile, which is a fault of ours.
func TestAFaultOfOursHidesNoOtherObject(t *testing.T) {
	p := NewPass(validate.Judge{Policy: validate.MustPolicy(validate.Baseline)}, validate.Settings{Mode: validate.ModeEnforce})
	for _, o := range []*workload.Object{
		{Ref: workload.Ref{Kind: "Deployment", Name: "broken"}, Workload: &workload.Workload{Pod: workload.Pod{Containers: []workload.Container{{
			Liveness: &workload.Probe{}, // asks nothing, which the decoder lets nobody say
		}}}}},
		{Ref: workload.Ref{Kind: "Deployment", Name: "whole"}, Workload: &workload.Workload{}},
	} {
		p.Take(Item{Ref: o.Ref, Object: o})
	}
	p.Take(Item{Ref: workload.Ref{Kind: "Deployment", Name: "nothing"}}) // neither an object nor an error
	p.Take(Item{Ref: workload.Ref{Kind: "Deployment", Name: "odd"}, Err: errors.New("is no object")})
	p.Finish(true)
	var failed []string
	for _, f := range p.Failures {
		failed = append(failed, f.What)
	}
	if diff := cmp.Diff([]string{"Deployment broken", "Deployment nothing", "Deployment odd"}, failed); diff != "" || p.Objects != 2 {
		t.Error(p.Objects, diff)
	}
}
