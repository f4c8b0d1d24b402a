package validate

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/probity-dev/probity/workload"
)

// TestFixesSilenceTheirRule does what the messages of the timing rules say, with
// their numbers, and judges again: the finding is gone, and nothing new denies.
func TestFixesSilenceTheirRule(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	policies := [...]*Policy{MustPolicy(Baseline), MustPolicy(Strict)}
	tried := map[string]int{}
	for range 3_000 {
		w := randomWorkload(random)
		for _, policy := range policies {
			before := Evaluate(w, policy)
			agree(t, before)
			for _, f := range before {
				if !strings.Contains(f.Fix, "Set ") && !strings.Contains(f.Fix, "startupProbe") || f.Probe == "" {
					continue
				}
				for way := range strings.SplitSeq(f.Fix, ", or ") {
					fixed := applied(w, f.Probe, way)
					if fixed == nil {
						continue // "or more"
					}
					tried[f.Rule]++
					for _, left := range Evaluate(fixed, policy) {
						if ofNumbers[f.Rule] && (ofNumbers[left.Rule] || left.Rule == "startup-budget") && left.Probe == f.Probe && !hasRule(before, left) {
							t.Fatalf("%s\nbrings, after %q:\n%s", f.String(), way, left.String())
						}
						if left.Rule == f.Rule && left.Path == f.Path {
							t.Fatalf("%s\nleaves, after %q:\n%s", f.String(), way, left.String())
						}
						if policy.Profile() == Baseline && left.Action == Deny && !has(before, left) {
							t.Fatalf("%s\nbrings, after %q:\n%s", f.String(), way, left.String())
						}
					}
				}
			}
		}
	}
	for _, rule := range []string{
		"liveness-before-readiness", "liveness-failure-threshold", "liveness-initial-delay", "liveness-window", "probe-grace-period",
		"probe-period", "probe-timeout-period", "readiness-window", "startup-budget", "startup-missing",
	} {
		if tried[rule] < 30 {
			t.Errorf("rule %s was met %d times; the workloads should meet it more often", rule, tried[rule])
		}
	}
}

// ofNumbers are the rules about the numbers of a single probe, whose advice is made
// together.
var ofNumbers = map[string]bool{
	"exec-timeout": true, "liveness-failure-threshold": true, "liveness-window": true, "probe-period": true, "probe-timeout-period": true,
	"readiness-window": true,
}

// agree fails when two of these rules ask for different numbers of one field. Where a
// message leaves the choice, the last way is the one that keeps the timeout.
func agree(t *testing.T, findings []Finding) {
	t.Helper()
	asked := map[string]Finding{}
	for _, f := range findings {
		if !ofNumbers[f.Rule] {
			continue
		}
		ways := strings.Split(f.Fix, ", or ")
		if ways[len(ways)-1] == "ask with something light." {
			ways = ways[:len(ways)-1]
		}
		for _, m := range numberSet.FindAllStringSubmatch(ways[len(ways)-1], -1) {
			key := f.Probe + m[2]
			if other, ok := asked[key]; ok && !strings.Contains(other.Fix, m[0]) {
				t.Fatalf("two rules ask for different numbers:\n%s\n%s", other.String(), f.String())
			}
			asked[key] = f
		}
	}
}

// hasRule reports whether a rule found something about the same probe before.
func hasRule(findings []Finding, f Finding) bool {
	for _, old := range findings {
		if old.Rule == f.Rule && old.Probe == f.Probe {
			return true
		}
	}
	return false
}

func has(findings []Finding, f Finding) bool {
	for _, old := range findings {
		if old.Rule == f.Rule && old.Path == f.Path {
			return true
		}
	}
	return false
}

func randomWorkload(random *rand.Rand) *workload.Workload {
	pick := func(of ...int32) int32 { return of[random.IntN(len(of))] }
	probe := func() *workload.Probe {
		p := workload.Probe{
			InitialDelaySeconds: pick(0, 0, 0, 5, 30, 45, 100, 400),
			TimeoutSeconds:      pick(0, 1, 2, 5, 30, 70),
			PeriodSeconds:       pick(0, 1, 2, 5, 10, 15, 60, 200),
			FailureThreshold:    pick(0, 1, 2, 3, 6, 20, 100, 1<<31-1),
		}
		if random.IntN(2) == 0 {
			p.TCPSocket = &workload.TCPSocket{Port: workload.Port{Number: 8080}}
		} else {
			p.Exec = &workload.Exec{Command: [][]string{{"/bin/check"}, {"python3", "check.py"}}[random.IntN(2)]}
		}
		p = p.Defaulted()
		return &p
	}
	w := &workload.Workload{Ref: workload.Ref{Kind: [...]string{"Deployment", "StatefulSet", "Job"}[random.IntN(3)]}}
	grace := int64(pick(10, 30, 30, 600))
	w.Pod = workload.Pod{Path: "spec.template.spec", GracePeriod: &grace, Containers: []workload.Container{{Name: "app"}}}
	c := &w.Pod.Containers[0]
	for _, p := range []**workload.Probe{&c.Liveness, &c.Readiness, &c.Startup} {
		if random.IntN(3) > 0 {
			*p = probe()
		}
	}
	return w
}

var numberSet = regexp.MustCompile(`(?:(readinessProbe|spec)\.)?([a-zA-Z]+(?:Seconds|Threshold)) (\d+)`)

// applied returns a copy of the workload with what one sentence says done to it,
// or nil when it gives no numbers.
func applied(w *workload.Workload, probe, sentence string) *workload.Workload {
	cp := *w
	cp.Pod.Containers = []workload.Container{w.Pod.Containers[0]}
	c := &cp.Pod.Containers[0]
	for _, p := range []**workload.Probe{&c.Liveness, &c.Readiness, &c.Startup} {
		if *p != nil {
			clone := **p
			*p = &clone
		}
	}
	target := map[string]*workload.Probe{"liveness": c.Liveness, "readiness": c.Readiness, "startup": c.Startup}[probe]
	if strings.Contains(sentence, "startupProbe") {
		clone := *c.Liveness
		clone.InitialDelaySeconds = 0
		c.Startup, target = &clone, &clone
	}
	if strings.Contains(sentence, "remove initialDelaySeconds") {
		c.Liveness.InitialDelaySeconds = 0
	}
	found := numberSet.FindAllStringSubmatch(sentence, -1)
	for _, m := range found {
		n, _ := strconv.ParseInt(m[3], 10, 32)
		p, value := target, int32(n)
		if m[1] == "readinessProbe" {
			p = c.Readiness
		}
		switch m[2] {
		case "initialDelaySeconds":
			p.InitialDelaySeconds = value
		case "timeoutSeconds":
			p.TimeoutSeconds = value
		case "periodSeconds":
			p.PeriodSeconds = value
		case "failureThreshold":
			p.FailureThreshold = value
		case "terminationGracePeriodSeconds":
			p.TerminationGracePeriodSeconds = &n
		case "progressDeadlineSeconds":
			cp.Rollout.ProgressDeadlineSeconds = &value
		}
	}
	if len(found) == 0 {
		return nil
	}
	return &cp
}
