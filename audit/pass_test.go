package audit

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

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

// TestFindingsBeyondABoundAreCounted, in reports and metrics as those that are kept.
func TestFindingsBeyondABoundAreCounted(t *testing.T) {
	p := NewPass(validate.Judge{Policy: validate.MustPolicy(validate.Baseline)}, validate.Settings{Mode: validate.ModeEnforce})
	p.Most = 1
	for _, name := range []string{"first", "second"} {
		text := `{"metadata":{"namespace":"shop","name":"` + name + `"},"spec":{"template":{"spec":{"containers":[{"name":"a","livenessProbe":{"httpGet":{"path":"/health/db","port":80}}}]}}}}`
		o, err := workload.DefaultKinds().DecodeAs([]byte(text), "apps/v1", "Deployment")
		if err != nil {
			t.Fatal(err)
		}
		p.Take(Item{Ref: o.Ref, Object: o, UID: name})
	}
	p.Finish(false)
	if len(p.Faulty) != 2 || len(p.Faulty[0].Findings) != 1 || len(p.Faulty[1].Findings) != 0 || p.Faulty[1].number() != 1 {
		t.Fatalf("got %+v", p.Faulty)
	}
	first, second := newReport(reportAPIs[0], "shop", p.Faulty[0]), newReport(reportAPIs[0], "shop", p.Faulty[1])
	if diff := cmp.Diff(first.Summary, second.Summary); diff != "" || second.Summary.Fail != 1 {
		t.Error(diff)
	}
	if len(second.Results) != 1 || !strings.HasPrefix(second.Results[0].Message, "1 more are left out here") {
		t.Errorf("got %+v", second.Results)
	}
	m := NewMetrics(prometheus.NewRegistry())
	m.namespace("shop", p, 2)
	if n := m.tallies["shop"].findings[findingKey{"liveness-dependency-path", "deny"}]; n != 2 {
		t.Errorf("counted %d", n)
	}
}
