package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/probity-dev/probity/workload"
)

// Markdown returns the rule's page with all of its examples: docs/rules/<id>.md, and
// what `probity explain RULE --all` prints.
func (r *Rule) Markdown() (string, error) {
	examples, err := r.Examples()
	if err != nil {
		return "", fmt.Errorf("rule %s: %w", r.ID, err)
	}
	return r.page(examples), nil
}

// Brief returns the rule's page with the plainest examples, and how many others there
// are: most of them are corners that a test keeps.
func (r *Rule) Brief() (page string, others int, err error) {
	examples, err := r.Examples()
	if err != nil {
		return "", 0, fmt.Errorf("rule %s: %w", r.ID, err)
	}
	plain := plainest(examples)
	return r.page(plain), len(examples) - len(plain), nil
}

func (r *Rule) page(examples []Example) string {
	d := document{}
	d.line("# " + r.ID)
	d.paragraph(r.Title + ".")
	d.actions(r)
	d.section("Why", r.Why)
	d.section("How to fix", r.Fix)
	d.parameters(r)
	d.examples("Breaks the rule", examples, true)
	d.examples("Keeps the rule", examples, false)
	d.exempt(r)
	d.sources(r)
	return d.String()
}

// RuleIndex returns the page that lists all rules: docs/rules/README.md.
func RuleIndex() string {
	d := document{}
	d.line("# Rules")
	d.paragraph("What each rule does in the profiles `baseline` and `strict`. Where two actions stand, the second is for findings " +
		"that are likely but not proven by the manifest. `probity explain RULE` prints a rule's page.")
	for _, c := range Categories {
		header := false
		for _, r := range rules {
			if r.Category != c {
				continue
			}
			if !header {
				d.paragraph("## " + string(c))
				d.line("\n| rule | what must hold | baseline | strict |")
				d.line("| --- | --- | --- | --- |")
				header = true
			}
			d.line(fmt.Sprintf("| [%s](%s.md) | %s | %s | %s |", r.ID, r.ID, r.Title, r.Does(Baseline), r.Does(Strict)))
		}
	}
	return d.String()
}

// Does says what the rule does in a profile: "deny", or "deny, likely: warn"
// where what is only likely has another action.
func (r *Rule) Does(p Profile) string {
	proven, likely := r.Action.In(p), r.Likely.In(p)
	if r.Likely == (ByProfile{}) || proven == likely {
		return proven.String()
	}
	return proven.String() + ", likely: " + likely.String()
}

// document is Markdown in the making.
type document struct{ strings.Builder }

func (d *document) line(text string) {
	_, _ = d.WriteString(text)
	_ = d.WriteByte('\n')
}

func (d *document) paragraph(text string) { d.line("\n" + strings.TrimSpace(text)) }

func (d *document) section(title, text string) {
	d.paragraph("## " + title)
	d.paragraph(reflow(text))
}

// reflow puts every paragraph of prose on a line of its own, as the pages have
// it; lists, tables and code stay as they are.
func reflow(text string) string {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, p := range paragraphs {
		if p != "" && !strings.ContainsAny(p[:1], "-*|`#> ") {
			paragraphs[i] = strings.Join(strings.Fields(p), " ")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

func (d *document) actions(r *Rule) {
	d.line("\n| profile | action |")
	d.line("| --- | --- |")
	for _, p := range Profiles {
		d.line(fmt.Sprintf("| %s | %s |", p, r.Does(p)))
	}
	d.paragraph(fmt.Sprintf("%s. Since %s.", r.Category, r.Since))
}

func (d *document) parameters(r *Rule) {
	if len(r.Params) == 0 {
		return
	}
	d.paragraph("## Parameters")
	d.line("\n| name | what it sets | baseline | strict |")
	d.line("| --- | --- | --- | --- |")
	for _, p := range r.Params {
		d.line(fmt.Sprintf("| `%s` | %s | %s | %s |", p.Name, p.Doc, p.Format(Baseline), p.Format(Strict)))
	}
}

// Format returns a profile's default as a configuration writes it: "true", "3",
// "10m".
func (p Param) Format(profile Profile) string {
	switch v := p.In(profile).(type) {
	case time.Duration:
		return formatDuration(v)
	default:
		return fmt.Sprint(v)
	}
}

// formatDuration leaves out the zeros that time.Duration writes: 10m, not 10m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// examples shows the manifests of one kind: the first whole, of the others the
// pod spec alone where the rest is the same.
func (d *document) examples(title string, examples []Example, fails bool) {
	first := ""
	for _, e := range examples {
		if e.Fails != fails {
			continue
		}
		if first == "" {
			d.paragraph("## " + title)
		}
		if e.About != "" {
			d.paragraph(e.About)
		}
		if set := e.settings(); len(set) > 0 {
			d.paragraph("With " + strings.Join(set, " and ") + ":")
		}
		outer, spec := cutPodSpec(e.Manifest)
		if spec == "" || outer != first {
			spec = strings.TrimSpace(e.Manifest)
		}
		first = cmp.Or(first, outer)
		d.line("\n```yaml\n" + spec + "\n```")
		if says := e.messages(); len(says) > 0 {
			d.line("\n```text\n" + strings.Join(says, "\n") + "\n```")
		}
	}
}

// cutPodSpec splits a manifest at its pod spec, which it moves to the margin; the
// spec is empty where it is not the manifest's end.
func cutPodSpec(manifest string) (outer, spec string) {
	lines := strings.Split(strings.TrimSpace(manifest), "\n")
	containers := slices.IndexFunc(lines, func(l string) bool {
		l = strings.TrimSpace(l)
		return l == "containers:" || l == "initContainers:"
	})
	begin := containers
	for begin > 0 && strings.TrimSpace(lines[begin-1]) != "spec:" {
		begin--
	}
	if begin <= 0 {
		return manifest, ""
	}
	margin := lines[begin][:len(lines[begin])-len(strings.TrimLeft(lines[begin], " "))]
	var inner []string
	for _, l := range lines[begin:] {
		if !strings.HasPrefix(l, margin) && l != "" {
			return manifest, ""
		}
		inner = append(inner, strings.TrimPrefix(l, margin))
	}
	return strings.Join(lines[:begin], "\n"), strings.Join(inner, "\n")
}

// settings are what the example changes in the configuration.
func (e Example) settings() []string {
	var set []string
	for _, directive := range e.Directives {
		if v, ok := strings.CutPrefix(directive, "set: "); ok {
			set = append(set, "`"+v+"`")
		}
		if v, ok := strings.CutPrefix(directive, "inject: "); ok {
			set = append(set, "injection of `"+v+"`")
		}
	}
	return set
}

// messages are the findings that the example gives, each below what it does in
// the profiles.
func (e Example) messages() []string {
	var says []string
	for _, directive := range e.Directives {
		if v, ok := strings.CutPrefix(directive, "want: "); ok {
			actions, _, _ := strings.Cut(v, " ")
			baseline, strict, _ := strings.Cut(actions, "/")
			says = append(says, "baseline "+baseline+", strict "+strict+":")
		}
		if v, ok := strings.CutPrefix(directive, "  "); ok {
			says = append(says, v)
		}
	}
	return says
}

// exempt shows how one object is let through.
func (d *document) exempt(r *Rule) {
	d.paragraph("## Exempt one object")
	d.paragraph("When it cannot be mended now, say so on the " + r.exempted() + ", and why:")
	d.line("\n```yaml\nmetadata:\n  annotations:\n    " + workload.AnnotationExempt + ": " + r.ID + "\n    " +
		workload.AnnotationExemptReason + ": who mends it, and when\n    " + workload.AnnotationExemptUntil + ": \"2027-01-31\" # the last day; may be left out\n```")
	d.paragraph("The configuration's `exemptions` do the same for what you cannot annotate.")
}

// exempted is what bears the annotation.
func (r *Rule) exempted() string {
	if r.Category == Disruption && r.CheckBundle != nil {
		return "PodDisruptionBudget or the workload"
	}
	return "workload"
}

func (d *document) sources(r *Rule) {
	d.paragraph("## Sources")
	d.line("")
	for _, s := range r.Sources {
		d.line("- <" + s + ">")
	}
}
