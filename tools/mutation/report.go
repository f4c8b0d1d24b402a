package main

import (
	"fmt"
	"io"
	"strings"
)

// report tells what the tests see, and counts what they do not.
type report struct {
	out     io.Writer
	verbose bool
	plan    *plan
	reasons map[key]string

	made, caught, alike int
	faults              []string
}

func newReport(out io.Writer, p *plan, verbose bool) *report {
	r := &report{out: out, plan: p, verbose: verbose, reasons: map[key]string{}}
	for _, s := range p.listed {
		r.reasons[s.Key] = s.Why
	}
	return r
}

// unit prints a line for a unit, then what it let pass.
func (r *report) unit(u unit, outcomes []outcome) {
	caught, alike := 0, 0
	var details strings.Builder
	for _, o := range outcomes {
		_, listed := r.reasons[o.key()]
		switch {
		case o.by != "" && listed:
			r.fault("is in the list of survivors, but %s fails with it: remove it there", o, o.by)
			caught++
		case o.by != "":
			caught++
			if r.verbose {
				fmt.Fprintf(&details, "  %s:%d, seen by %s\n%s", o.file, o.line, o.by, indent(o.key().diff()))
			}
		case listed:
			alike++
		default:
			r.fault("no test fails with this", o, "")
			fmt.Fprintf(&details, "  %s:%d, in %s: no test fails with this %s changed\n%s", o.file, o.line, o.in, o.kind, indent(o.key().diff()))
		}
	}
	r.made, r.caught, r.alike = r.made+len(outcomes), r.caught+caught, r.alike+alike
	fmt.Fprintf(r.out, "%-50s %3d made, %3d caught", u.name, len(outcomes), caught)
	if alike > 0 {
		fmt.Fprintf(r.out, ", %d change nothing that can be seen", alike)
	}
	fmt.Fprintf(r.out, "\n%s", details.String())
	if u.rule && caught < least {
		r.faults = append(r.faults, fmt.Sprintf("%s: %d breakages are caught, and at least %d must be", u.name, caught, least))
	}
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
}

func (r *report) fault(what string, o outcome, by string) {
	if by != "" {
		what = fmt.Sprintf(what, by)
	}
	r.faults = append(r.faults, fmt.Sprintf("%s:%d: %s:\n%s\n%s", o.file, o.line, what, o.key().place(), o.key().diff()))
}

// stale finds entries of the list whose breakage is no longer there, in the files at hand.
func (r *report) stale() {
	for _, s := range r.plan.listed {
		for _, u := range r.plan.units {
			if u.file == s.Key.File && !r.plan.known[s.Key] {
				r.faults = append(r.faults, fmt.Sprintf("the list of survivors has an entry for what is no longer there: remove it\n%s\n%s", s.Key.place(), s.Key.diff()))
			}
		}
	}
}

// end prints the sum and all faults, in the form of the list of survivors.
func (r *report) end() error {
	r.stale()
	fmt.Fprintf(r.out, "\n%d breakages made, %d caught, %d change nothing that can be seen.\n", r.made, r.caught, r.alike)
	if len(r.faults) == 0 {
		return nil
	}
	for _, f := range r.faults {
		fmt.Fprintf(r.out, "\n%s\n", f)
	}
	return fmt.Errorf("%w: %d faults", errUncaught, len(r.faults))
}
