package validate

import "slices"

// Ratchet turns the refusals among the findings of now, except those that before
// does not have, into warnings: an update is refused only for what it brings in.
// An exemption of before does not count: what it covered was there.
func Ratchet(now, before *Judgement) {
	introduced := Introduced(now, before)
	for i := range now.Findings {
		if now.Findings[i].Action == Deny && !introduced[i] {
			now.Findings[i].Action = Warn
		}
	}
}

// Introduced tells, for each finding of now, whether before does not have it:
// whether an update brings it in. Both are judgements of one object.
//
// A finding is the same when rule, container, probe and evidence are the same;
// where it stands in the list of containers does not count. A renamed container
// keeps its findings: one of before on a container that is gone pays for one of
// now on a container that is new. Each finding of before pays for one of now.
func Introduced(now, before *Judgement) []bool {
	introduced := make([]bool, len(now.Findings))
	rest := map[fault]int{}
	for i := range before.Findings {
		rest[faultOf(&before.Findings[i])]++
	}
	for i := range now.Findings {
		introduced[i] = !pay(rest, faultOf(&now.Findings[i]))
	}
	gone := map[fault]int{}
	for f, n := range rest {
		if f.container != "" && !slices.Contains(now.containers, f.container) {
			gone[f.anywhere()] += n
		}
	}
	for i := range now.Findings {
		f := faultOf(&now.Findings[i])
		renamed := f.container != "" && !slices.Contains(before.containers, f.container)
		if introduced[i] && renamed && pay(gone, f.anywhere()) {
			introduced[i] = false
		}
	}
	return introduced
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
