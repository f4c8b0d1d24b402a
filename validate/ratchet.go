package validate

import "slices"

// Ratchet turns the refusals among now, except those that before does not have,
// into warnings: an update is refused only for what it brings in.
func Ratchet(now, before []Finding) {
	introduced := Introduced(now, before)
	for i := range now {
		if now[i].Action == Deny && !slices.Contains(introduced, now[i]) {
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
	rest := slices.Clone(before)
	unpaid := slices.Clone(now)
	pay := func(same func(a, b Finding) bool) {
		unpaid = slices.DeleteFunc(unpaid, func(f Finding) bool {
			i := slices.IndexFunc(rest, func(old Finding) bool { return same(f, old) })
			if i < 0 {
				return false
			}
			rest = slices.Delete(rest, i, i+1)
			return true
		})
	}
	pay(func(a, b Finding) bool { return sameFault(a, b) && a.Container == b.Container })
	pay(func(a, b Finding) bool {
		return sameFault(a, b) && !mentions(before, a.Container) && !mentions(now, b.Container)
	})
	return unpaid
}

func sameFault(a, b Finding) bool {
	return a.Rule == b.Rule && a.Probe == b.Probe && a.Evidence == b.Evidence
}

func mentions(findings []Finding, container string) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Container == container })
}
