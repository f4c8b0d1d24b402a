package validate

import "github.com/probity-dev/probity/workload"

// Change judges what a change makes of disruption budgets. Findings are about the
// changed object: a fault that a budget shares in names it. Exemptions are those of
// the object, and those of the budget.
//
// The work grows with the number of neighbours, by a fraction of a microsecond each,
// and with what the budgets that meet the change select.
func (j Judge) Change(c Change) Judgement {
	faults := c.faults(j.Policy)
	if len(faults) == 0 && (c.New.Budget == nil || !mentionsProbity(c.New.Budget.Annotations) && !mentionsProbity(c.New.Budget.Labels)) {
		return Judgement{}
	}
	if by := j.Exempts(c.New); by.By != "" {
		return Judgement{Exempt: by}
	}
	var judged Judgement
	own := j.exempting(c.New)
	for _, f := range faults {
		told := c.tell(f)
		own.cover(&told)
		if !told.Exempted && c.New.Budget == nil {
			theirs := j.exempting(&workload.Object{Ref: f.budget.Ref, Budget: f.budget.Budget})
			if theirs.cover(&told); told.Exempted {
				told.Exemption.Inherited = true
			}
		}
		if told.Exempted && f.old {
			told.Exemption.Inherited = true
		}
		judged.Findings = append(judged.Findings, told)
	}
	if own != nil {
		judged.Notices = own.result()
	}
	return judged
}

// cover is apply for a finding on no container, and for what may exempt from
// nothing.
func (x *exempting) cover(f *Finding) {
	if x != nil && !x.whole {
		x.apply(f, nil)
	}
}
