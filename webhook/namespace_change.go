package webhook

import (
	"fmt"
	"strings"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// labelChange is a change of a namespace's labels, and what they come to.
type labelChange struct {
	old, labels   map[string]string
	before, after validate.Settings
}

// ends says which protection the change ends, a line each.
func (c labelChange) ends(by *ruling) []string {
	var lines []string
	say := func(label, text string) { lines = append(lines, oneLine("["+label+"] "+text)) }
	if text := c.modeEnds(); text != "" {
		say(workload.LabelMode, text)
	}
	if text := c.profileEnds(by); text != "" {
		say(workload.LabelProfile, text)
	}
	label := workload.LabelMode
	if c.old[workload.LabelInject] != c.labels[workload.LabelInject] {
		label = workload.LabelInject
	}
	before, after := injects(c.before), injects(c.after)
	if before.Startup && !after.Startup {
		say(label, "startup probes are no longer injected; those that were injected stay")
	}
	if before.Budget && !after.Budget {
		say(label, "disruption budgets are no longer made; those that Probity made here are withdrawn")
	}
	return lines
}

// idle says of the other labels that the change brings that they do nothing without a
// mode, a line each. Where the mode is off by its label, somebody has said so, and by
// a default mode they do something.
func (c labelChange) idle() (lines []string) {
	if c.after.Mode != validate.ModeOff {
		return nil
	}
	for _, label := range validate.IdleLabels(c.labels) {
		if c.labels[label] != c.old[label] {
			lines = append(lines, oneLine("["+label+"] does nothing in a namespace without label "+workload.LabelMode+": nothing is judged or injected here"))
		}
	}
	return lines
}

func (c labelChange) modeEnds() string {
	before, after := c.before.Mode, c.after.Mode
	if after >= before {
		return ""
	}
	refuses := ""
	if before == validate.ModeEnforce {
		refuses = "nothing is refused any more; "
	}
	switch after {
	case validate.ModeWarn:
		return refuses + "findings only warn"
	case validate.ModeAudit:
		return refuses + "users no longer see findings, which go to the audit log, metrics and reports"
	default:
		return refuses + "workloads are no longer judged"
	}
}

// profileEnds names the rules that do less by the new profile in the same mode.
func (c labelChange) profileEnds(by *ruling) string {
	if c.before.Profile == c.after.Profile || c.after.Mode == validate.ModeOff {
		return ""
	}
	before, after := by.Policies[c.before.Profile], by.Policies[c.after.Profile]
	var weaker []string
	for _, r := range validate.Rules() {
		if c.after.Mode.Reaches(after.ActionOf(r.ID)) < c.after.Mode.Reaches(before.ActionOf(r.ID)) {
			weaker = append(weaker, r.ID)
		}
	}
	if len(weaker) == 0 {
		return ""
	}
	const shown = 3
	names := strings.Join(weaker[:min(shown, len(weaker))], ", ")
	if more := len(weaker) - shown; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s instead of %s: these rules do less: %s", c.after.Profile, c.before.Profile, names)
}

// injects is what is injected: nothing where nothing is judged.
func injects(s validate.Settings) validate.Injection {
	if s.Mode == validate.ModeOff {
		return validate.Injection{}
	}
	return s.Injection
}
