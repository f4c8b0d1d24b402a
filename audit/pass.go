package audit

import (
	"fmt"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Ruling is what objects are judged by, as a configuration has it.
type Ruling struct {
	Kinds *workload.Kinds
	// Policies has a policy for each profile.
	Policies map[validate.Profile]*validate.Policy
	// Defaults hold in namespaces whose labels do not say.
	Defaults validate.Settings
}

// faulty is an object of which something is to be told.
type faulty struct {
	ref workload.Ref
	uid string
	// findings are in the order of the manifest, those of budgets last.
	findings []validate.Finding
	// problems are fields that could not be judged.
	problems []workload.Problem
}

// failure is something that could not be judged.
type failure struct {
	what string
	err  error
}

// pass judges the objects of one namespace. Of those without a fault it keeps what
// EvaluateBundle reads, until the namespace is done.
type pass struct {
	policy   *validate.Policy
	settings validate.Settings
	// bundled is set when budgets can be judged.
	bundled bool

	objects  int
	faulty   []*faulty
	failures []failure

	bundle []*workload.Object
	uids   []string
	byUID  map[string]*faulty
}

func newPass(r *Ruling, settings validate.Settings) *pass {
	return &pass{
		policy: r.Policies[settings.Profile].WithInjection(settings.Injection), settings: settings,
		bundled: true, byUID: map[string]*faulty{},
	}
}

// take judges an object by itself.
func (p *pass) take(i Item) {
	if i.Err != nil {
		p.failures = append(p.failures, failure{i.Ref.String(), i.Err})
		return
	}
	o := i.Object
	if o.Workload != nil || o.Budget != nil {
		p.objects++
	}
	if slim := validate.ForBundle(o); slim != nil {
		p.bundle = append(p.bundle, slim)
		p.uids = append(p.uids, i.UID())
	}
	p.note(i, o.Problems())
	if o.Workload == nil {
		return
	}
	// A fault of ours in one object must not hide the others.
	defer p.survive(o.Ref.String())
	settings, problem := p.settings.ForWorkload(o.Workload)
	policy := p.policy
	switch {
	case problem != nil:
		p.note(i, []workload.Problem{{Path: "metadata.annotations", Message: problem.Error()}})
	case settings.Injection != p.settings.Injection:
		policy = policy.WithInjection(settings.Injection)
	}
	if found := validate.Evaluate(o.Workload, policy); len(found) > 0 {
		f := p.of(o.Ref, i.UID())
		f.findings = append(f.findings, found...)
	}
}

// note keeps what could not be judged in an object.
func (p *pass) note(i Item, problems []workload.Problem) {
	if len(problems) > 0 {
		f := p.of(i.Ref, i.UID())
		f.problems = append(f.problems, problems...)
	}
}

// of returns the entry of an object.
func (p *pass) of(ref workload.Ref, uid string) *faulty {
	f := p.byUID[uid]
	if f == nil {
		f = &faulty{ref: ref, uid: uid}
		p.byUID[uid] = f
		p.faulty = append(p.faulty, f)
	}
	return f
}

// finish judges the objects together, and lets go of all that has no fault.
func (p *pass) finish() {
	if p.bundled {
		p.together()
	}
	p.bundle, p.uids, p.byUID = nil, nil, nil
}

func (p *pass) together() {
	defer p.survive("the disruption budgets")
	for _, found := range validate.EvaluateBundle(p.bundle, p.policy) {
		f := p.of(p.bundle[found.Index].Ref, p.uids[found.Index])
		f.findings = append(f.findings, found.Finding)
	}
}

func (p *pass) survive(what string) {
	if r := recover(); r != nil {
		p.failures = append(p.failures, failure{what, fmt.Errorf("could not be judged for a fault in Probity, please report it: %v", r)})
	}
}
