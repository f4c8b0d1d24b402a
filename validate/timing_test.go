package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload"
)

// The API allows numbers whose windows last for centuries: what a message advises
// for them is legal too.
func TestAdviceForTheLongestWindowsIsLegal(t *testing.T) {
	const most = 1<<31 - 1
	quick := &workload.Probe{FailureThreshold: most, PeriodSeconds: 1, TimeoutSeconds: 1}
	slow := &workload.Probe{FailureThreshold: most, PeriodSeconds: most, TimeoutSeconds: most}
	type advice struct {
		longer  int32
		shorter workload.Probe
	}
	got := advice{longerWindow(quick, slow.WorstWindow()), *shorterWindow(quick, slow.WorstWindow(), 1)}
	want := advice{most, *quick}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(advice{})); diff != "" {
		t.Errorf("advice (-want +got):\n%s", diff)
	}
}
