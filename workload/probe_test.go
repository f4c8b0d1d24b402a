package workload

import (
	"testing"
	"time"
)

func TestWindowsFollowTheKubelet(t *testing.T) {
	tests := []struct {
		name                                           string
		probe                                          Probe
		best, worst, threshold, tolerance, start, kill time.Duration
	}{
		// Best and worst as measured on a kubelet v1.37, between which lies the
		// phase of the first check.
		{"the defaults", Probe{}, 20 * time.Second, 31 * time.Second, 30 * time.Second, 30 * time.Second, 30 * time.Second, 20 * time.Second},
		{
			"a timeout over the period sets the pace of checks that hang",
			Probe{InitialDelaySeconds: 4, PeriodSeconds: 2, TimeoutSeconds: 5, FailureThreshold: 3},
			10 * time.Second, 20 * time.Second, 15 * time.Second, 6 * time.Second, 10 * time.Second, 8 * time.Second,
		},
		{
			"numbers beyond what a duration holds count as a century",
			Probe{InitialDelaySeconds: 1<<31 - 1, PeriodSeconds: 1<<31 - 1, TimeoutSeconds: 1<<31 - 1, FailureThreshold: 1<<31 - 1},
			century, century + (1<<31-1)*time.Second, century, century, century + (1<<31-1)*time.Second, century + (1<<31-1)*time.Second,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.probe.Defaulted()
			for _, w := range []struct {
				name      string
				got, want time.Duration
			}{
				{"best window", p.BestWindow(), tt.best},
				{"worst window", p.WorstWindow(), tt.worst},
				{"threshold", p.Threshold(), tt.threshold},
				{"tolerance", p.Tolerance(), tt.tolerance},
				{"startup budget", p.StartupBudget(), tt.start},
				{"kill of a start", p.StartKill(), tt.kill},
			} {
				if w.got != w.want {
					t.Errorf("%s is %v, want %v", w.name, w.got, w.want)
				}
			}
		})
	}
}

func TestPortIsTheOneThatIsDialled(t *testing.T) {
	named, numbered := Port{Name: "http"}, Port{Number: 8080}
	tests := []struct {
		name  string
		probe Probe
		want  Port
		dials bool
	}{
		{"httpGet", Probe{HTTPGet: &HTTPGet{Port: named}}, named, true},
		{"tcpSocket", Probe{TCPSocket: &TCPSocket{Port: numbered}}, numbered, true},
		{"grpc", Probe{GRPC: &GRPC{Port: numbered}}, numbered, true},
		{"exec", Probe{Exec: &Exec{}}, Port{}, false},
		{"no handler", Probe{}, Port{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, dials := tt.probe.Port(); got != tt.want || dials != tt.dials {
				t.Errorf("got %v, %v, want %v, %v", got, dials, tt.want, tt.dials)
			}
		})
	}
}
