package validate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/probity-dev/probity/workload"
)

// EvaluateBundle judges what objects make together: disruption budgets, the
// workloads whose pods they select, and the autoscalers that set how many those
// are. Objects meet in their namespace; those without one share one. Of a custom
// resource only the name counts. Any other object is passed over, nil too.
//
// Findings are ordered by namespace, object and rule. The work grows with the
// number of objects and of matches, not with budgets times workloads.
func EvaluateBundle(objects []*workload.Object, p *Policy) []BundleFinding {
	var findings []BundleFinding
	for _, j := range judgeBundle(objects, p) {
		findings = append(findings, j.BundleFinding)
	}
	return findings
}

func judgeBundle(objects []*workload.Object, p *Policy) []judged {
	pass := BundlePass{policy: p, bundle: gather(objects)}
	for i := range p.settings {
		s := &p.settings[i]
		if s.rule.CheckBundle == nil || s.action == Off && s.likely == Off {
			continue
		}
		pass.setting = s
		s.rule.CheckBundle(&pass)
	}
	slices.SortStableFunc(pass.findings, func(a, b judged) int { return compareBundleFindings(a.BundleFinding, b.BundleFinding) })
	return pass.findings
}

// judged is a finding and what it is about, which tells whether a change has
// brought it in.
type judged struct {
	BundleFinding
	about
	// likely is what the policy does on this rule's findings that are no proof.
	likely Action
	// old is set for a fault that a change does not bring in.
	old bool
}

// about is what a finding about a budget speaks of.
type about struct {
	budget *budget
	// sets are the pods that it is wrong for.
	sets []*podSet
	// others are the budgets that select the same pods.
	others []*budget
}

// BundleFinding is a finding with the place of its object among those that were
// judged: two of them may have one name.
type BundleFinding struct {
	Finding
	Index int
}

func compareBundleFindings(a, b BundleFinding) int {
	return cmp.Or(
		strings.Compare(a.Object.Namespace, b.Object.Namespace),
		strings.Compare(a.Object.Kind, b.Object.Kind),
		strings.Compare(a.Object.Name, b.Object.Name),
		a.Index-b.Index,
		strings.Compare(a.Rule, b.Rule),
		strings.Compare(a.Path, b.Path),
	)
}

// AtAdmission returns the policy for judging one object at its admission: rules
// about objects that may come in any order are off, since what they miss may be
// the next to come.
func (p *Policy) AtAdmission() *Policy {
	if p.admission {
		return p
	}
	q := *p
	q.settings, q.admission = slices.Clone(p.settings), true
	for i := range q.settings {
		if s := &q.settings[i]; s.rule.AnyOrder {
			s.action, s.likely = Off, Off
		}
	}
	return &q
}

// BundlePass is one rule at work on a bundle.
type BundlePass struct {
	policy   *Policy
	setting  *setting
	bundle   *bundle
	findings []judged
}

// injectsBudget reports whether Probity makes budgets where the workload runs; its
// own annotation goes before the namespace.
func (p *BundlePass) injectsBudget(w *workload.Workload) bool {
	s, err := Settings{Injection: p.policy.injection}.ForWorkload(w)
	return err == nil && s.Injection.Budget
}

// reportBudget notes that a budget breaks the rule for pods; Field is a path from
// the budget's root.
func (p *BundlePass) reportBudget(b *budget, pods []*podSet, r Report) {
	p.add(b.Ref, b.index, r, about{budget: b, sets: pods})
}

// reportShared is reportBudget for pods that other budgets select too.
func (p *BundlePass) reportShared(b *budget, pods []*podSet, others []*budget, r Report) {
	p.add(b.Ref, b.index, r, about{budget: b, sets: pods, others: others})
}

// reportPods notes that a workload breaks the rule.
func (p *BundlePass) reportPods(s *podSet, r Report) { p.add(s.ref, s.index, r, about{}) }

func (p *BundlePass) add(ref workload.Ref, index int, r Report, a about) {
	action := p.setting.action
	if r.Likely {
		action = p.setting.likely
	}
	if action == Off {
		return
	}
	p.findings = append(p.findings, judged{about: a, likely: min(action, p.setting.likely), BundleFinding: BundleFinding{Index: index, Finding: Finding{
		Rule: p.setting.rule.ID, Action: action, Object: ref, Path: r.Field,
		Message: r.Field + " " + r.Text, Evidence: r.Evidence, Fix: r.Fix,
	}}})
}
