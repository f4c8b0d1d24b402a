package validate

import "slices"

// Ratchet turns the refusals among now, except those that before does not have,
// into warnings: an update is refused only for what it brings in.
func Ratchet(now, before []Finding) {
	introduced := map[Finding]bool{}
	for _, f := range Introduced(now, before) {
		introduced[f] = true
	}
	for i := range now {
		if now[i].Action == Deny && !introduced[now[i]] {
			now[i].Action = Warn
		}
	}
}

// Introduced returns the findings of now that before does not have: those that
// an update brings in. Both are findings of one object, before and after.
//
// A finding is the same when rule, container, probe and evidence are the same;
// where it stands in the list of containers does not count. A renamed container
// keeps its findings: one of before whose container is gone pays for one of now
// whose container is new. Each finding of before pays for one of now.
func Introduced(now, before []Finding) []Finding {
	rest := map[fault]int{}
	old, current := map[string]bool{}, map[string]bool{}
	for i := range before {
		rest[faultOf(&before[i])]++
		old[before[i].Container] = true
	}
	var unpaid []Finding
	for i := range now {
		current[now[i].Container] = true
		if !pay(rest, faultOf(&now[i])) {
			unpaid = append(unpaid, now[i])
		}
	}
	gone := map[fault]int{}
	for f, n := range rest {
		if !current[f.container] {
			gone[f.anywhere()] += n
		}
	}
	return slices.DeleteFunc(unpaid, func(f Finding) bool {
		return !old[f.Container] && pay(gone, faultOf(&f).anywhere())
	})
}

// fault is what makes two findings the same.
type fault struct{ rule, container, probe, evidence string }

func faultOf(f *Finding) fault { return fault{f.Rule, f.Container, f.Probe, f.Evidence} }

func (f fault) anywhere() fault {
	f.container = ""
	return f
}

func pay(from map[fault]int, f fault) bool {
	if from[f] == 0 {
		return false
	}
	from[f]--
	return true
}
