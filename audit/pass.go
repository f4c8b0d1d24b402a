package audit

import (
	"fmt"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Pass judges the objects of one namespace, for the scanner and for commands alike.
// Of objects without a fault it keeps what rules about several objects read, until
// Finish. It is not safe for concurrent use.
type Pass struct {
	// Objects counts the workloads and budgets that were judged.
	Objects int
	// Faulty are the objects of which something is to be told, in the order in
	// which that was found.
	Faulty []*Faulty
	// Failures are what could not be judged.
	Failures []Failure
	// Most bounds the findings that are kept of all objects, 0 not at all; of those beyond
	// it only the number is. It is to be set before Take.
	Most int
	// Coverage says which workloads budgets cover; nil where they were not judged.
	Coverage []validate.Coverage

	judge  validate.Judge
	mode   validate.Mode
	bundle []*workload.Object
	uids   []string
	kept   int // findings
	byUID  map[string]*Faulty
}

// Faulty is an object of which something is to be told.
type Faulty struct {
	Ref workload.Ref
	UID string
	// Findings are in the order of the manifest, those on several objects last.
	Findings []validate.Finding
	// Problems are fields that are not legal, and could not be judged.
	Problems []workload.Problem
	// Notices are about annotations and exemptions of the object.
	Notices []validate.Notice
	// more counts the findings that are not kept, see Pass.Most.
	more map[findingKey]int
}

// number is that of all findings.
func (f *Faulty) number() int {
	n := len(f.Findings)
	for _, more := range f.more {
		n += more
	}
	return n
}

// Failure is something that could not be judged.
type Failure struct {
	What string
	Err  error
}

// NewPass judges in a namespace with these settings. The judge's policy is that of
// their profile.
func NewPass(j validate.Judge, s validate.Settings) *Pass {
	j.Policy = j.Policy.WithInjection(s.Injection)
	return &Pass{judge: j, mode: s.Mode, byUID: map[string]*Faulty{}}
}

// Take judges an object by itself.
func (p *Pass) Take(i Item) {
	if i.Err != nil {
		p.Failures = append(p.Failures, Failure{i.Ref.String(), i.Err})
		return
	}
	// A fault of ours in one object must not hide the others, nor end the process: the
	// object would be there again at the next start.
	defer p.survive(i.Ref.String())
	o := i.Object
	if slim := validate.ForBundle(o); slim != nil {
		p.bundle = append(p.bundle, slim)
		p.uids = append(p.uids, i.UID)
	}
	if o.Workload == nil && o.Budget == nil || p.judge.Exempts(o).By != "" {
		return
	}
	p.Objects++
	p.note(i, o.Problems())
	if o.Workload != nil {
		p.workload(i)
	}
}

func (p *Pass) workload(i Item) {
	w := i.Object.Workload
	judged := p.judge.Workload(w)
	if len(judged.Findings) > 0 || len(judged.Notices) > 0 {
		f := p.of(i.Ref, i.UID)
		p.keep(f, judged.Findings...)
		f.Notices = append(f.Notices, judged.Notices...)
	}
}

// keep adds findings to an object's, as many as there is room for.
func (p *Pass) keep(f *Faulty, found ...validate.Finding) {
	room := len(found)
	if p.Most > 0 {
		room = min(room, p.Most-p.kept)
	}
	f.Findings = append(f.Findings, found[:room]...)
	p.kept += room
	for i := range found[room:] {
		if f.more == nil {
			f.more = map[findingKey]int{}
		}
		one := &found[room+i]
		f.more[findingKey{one.Rule, actionLabel(one)}]++
	}
}

// note keeps what could not be judged in an object.
func (p *Pass) note(i Item, problems []workload.Problem) {
	if len(problems) > 0 {
		f := p.of(i.Ref, i.UID)
		f.Problems = append(f.Problems, problems...)
	}
}

// of returns the entry of an object.
func (p *Pass) of(ref workload.Ref, uid string) *Faulty {
	f := p.byUID[uid]
	if f == nil {
		f = &Faulty{Ref: ref, UID: uid}
		p.byUID[uid] = f
		p.Faulty = append(p.Faulty, f)
	}
	return f
}

// Finish judges the objects together, when all of them are known, and lets go of
// all that has no fault.
func (p *Pass) Finish(whole bool) {
	if whole {
		p.together()
	}
	p.bundle, p.uids, p.byUID = nil, nil, nil
}

func (p *Pass) together() {
	defer p.survive("the disruption budgets")
	findings, notices := p.judge.Bundle(p.bundle)
	for _, found := range findings {
		f := p.of(p.bundle[found.Index].Ref, p.uids[found.Index])
		p.keep(f, found.Finding)
	}
	for _, n := range notices {
		f := p.of(p.bundle[n.Index].Ref, p.uids[n.Index])
		f.Notices = append(f.Notices, n.Notice)
	}
	p.Coverage = validate.Covered(p.bundle)
}

func (p *Pass) survive(what string) {
	if r := recover(); r != nil {
		p.Failures = append(p.Failures, Failure{what, fmt.Errorf("could not be judged for a fault in Probity, please report it: %v", r)})
	}
}
