package report

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/probity-dev/probity/validate"
)

// Rules writes a table of rules: id, action in each profile, title.
func Rules(out Output, rules []*validate.Rule) error {
	w := bufio.NewWriter(out.Writer)
	s := style(out.Colour)
	idWidth, actionWidth := len("RULE"), len("BASELINE")
	for _, r := range rules {
		idWidth = max(idWidth, len(r.ID))
		actionWidth = max(actionWidth, len(shortAction(r, validate.Baseline)), len(shortAction(r, validate.Strict)))
	}
	row := func(id, baseline, strict, title string) string {
		return fmt.Sprintf("%-*s  %-*s  %-*s  %s", idWidth, id, actionWidth, baseline, actionWidth, strict, title)
	}
	fmt.Fprintln(w, s.bold(row("RULE", "BASELINE", "STRICT", "WHAT MUST HOLD")))
	category := validate.Category("")
	for _, r := range rules {
		if r.Category != category {
			category = r.Category
			fmt.Fprintf(w, "\n%s\n", s.bold(string(category)))
		}
		fmt.Fprintln(w, row(r.ID, shortAction(r, validate.Baseline), shortAction(r, validate.Strict), r.Title))
	}
	fmt.Fprintf(w, "\n%s\n", s.dim("deny/warn: denies what is proven, warns of what is likely. `probity explain RULE` says more."))
	return w.Flush()
}

// shortAction gives "deny", or "deny/warn" for proven/likely.
func shortAction(r *validate.Rule, p validate.Profile) string {
	proven, likely := r.Action.In(p), r.Likely.In(p)
	if r.Likely == (validate.ByProfile{}) || proven == likely {
		return proven.String()
	}
	return proven.String() + "/" + likely.String()
}

// Page writes Markdown; on a terminal headings and code stand out.
func Page(out Output, markdown string) error {
	w := bufio.NewWriter(out.Writer)
	s := style(out.Colour)
	code := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimSuffix(line, "\n")
		fence := strings.HasPrefix(line, "```")
		switch {
		case fence:
			code = !code
			line = s.dim(line)
		case code:
		case strings.HasPrefix(line, "#"):
			line = s.bold(line)
		default:
			line = wrap(line, out.Width, "", "")
		}
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}
