package webhook

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

const (
	// maxGroups is how many lines about findings are shown.
	maxGroups = 10
	// maxLine bounds a line, in bytes: the API server cuts warnings at 256 runes when
	// all of them are over 4096, and these few lines are under that together.
	maxLine = 230
)

// grouping collects the findings of many workloads by what they have in common.
type grouping struct {
	mode   validate.Mode
	groups map[groupKey]*group
}

// groupKey is a rule, what it does, and its message without what differs from
// object to object.
type groupKey struct {
	rule    string
	action  validate.Action
	message string
}

type group struct {
	groupKey
	findings  int
	workloads map[workload.Ref]bool
	// example is the first of the workloads by its name, and text what is found there.
	example workload.Ref
	text    string
	// mixed is set when the others' text is not quite the same.
	mixed bool
}

// add notes the findings of one workload.
func (g *grouping) add(ref workload.Ref, found []validate.Finding) {
	for i := range found {
		f := &found[i]
		if f.Action == validate.Off {
			continue
		}
		text := strings.TrimPrefix(f.Message, fmt.Sprintf("container %q: ", f.Container))
		key := groupKey{f.Rule, f.Action, common(text)}
		if g.mode != validate.ModeEnforce {
			key.action = validate.Warn // they differ in enforce only
		}
		if g.groups == nil {
			g.groups = map[groupKey]*group{}
		}
		at := g.groups[key]
		if at == nil {
			at = &group{groupKey: key, workloads: map[workload.Ref]bool{}, example: ref, text: text}
			g.groups[key] = at
		}
		at.findings++
		at.mixed = at.mixed || text != at.text
		at.workloads[ref] = true
		if compareRefs(ref, at.example) < 0 {
			at.example, at.text = ref, text
		}
	}
}

// differing matches what is the object's own in a message: what is quoted, what is
// in parentheses, and numbers.
var differing = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\([^()]*\)|[0-9]+`)

// common is a message without what differs from object to object.
func common(message string) string { return differing.ReplaceAllString(message, "*") }

func compareRefs(a, b workload.Ref) int {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name), strings.Compare(a.APIVersion, b.APIVersion))
}

// lines tells the worst and widest groups, and counts the rest.
func (g *grouping) lines() []string {
	all := make([]*group, 0, len(g.groups))
	for _, one := range g.groups {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b *group) int {
		return cmp.Or(
			cmp.Compare(b.action, a.action),
			len(b.workloads)-len(a.workloads),
			strings.Compare(a.rule, b.rule),
			strings.Compare(a.message, b.message),
		)
	})
	var lines []string
	for _, one := range all[:min(maxGroups, len(all))] {
		lines = append(lines, one.line(g.mode))
	}
	if len(all) > maxGroups {
		lines = append(lines, rest(all[maxGroups:]))
	}
	if len(all) > 0 && consequence(g.mode, all[0].action) == refused {
		lines = append(lines, "what runs goes on: an update is refused only for a fault that it brings in")
	}
	return lines
}

// rest counts the groups that are not shown.
func rest(groups []*group) string {
	findings, workloads := 0, map[workload.Ref]bool{}
	for _, one := range groups {
		findings += one.findings
		for ref := range one.workloads {
			workloads[ref] = true
		}
	}
	return fmt.Sprintf("and %d more in %s", findings, count(len(workloads)))
}

// line is one group: the rule first, since the end may be cut.
func (g *group) line(mode validate.Mode) string {
	who := g.example.Kind + " " + g.example.Name
	if more := len(g.workloads) - 1; more > 0 && g.mixed {
		who += fmt.Sprintf(" and %d like it", more)
	} else if more > 0 {
		who += fmt.Sprintf(" and %d more", more)
	}
	return oneLine("[" + g.rule + "] " + who + " " + consequence(mode, g.action) + ": " + g.text)
}

const refused = "would be refused"

// consequence says what the mode makes of an action.
func consequence(mode validate.Mode, action validate.Action) string {
	switch {
	case mode == validate.ModeAudit:
		return "would be reported"
	case mode == validate.ModeEnforce && action == validate.Deny:
		return refused
	default:
		return "would be warned about"
	}
}

func count(workloads int) string {
	if workloads == 1 {
		return "1 workload"
	}
	return fmt.Sprintf("%d workloads", workloads)
}

// oneLine cuts a text to what a warning can hold, between two words.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxLine {
		return text
	}
	const mark = " ..."
	cut := text[:maxLine-len(mark)+1] // a space that follows the last word may be cut off
	if space := strings.LastIndexByte(cut, ' '); space > maxLine/2 {
		return cut[:space] + mark
	}
	return strings.ToValidUTF8(cut[:len(cut)-1], "") + mark
}
