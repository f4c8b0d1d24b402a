package validate

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestRulesAreWhole fails on a rule that cannot be documented or configured.
func TestRulesAreWhole(t *testing.T) {
	id := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			if !id.MatchString(r.ID) || seen[r.ID] {
				t.Errorf("id %q must be kebab-case and unique", r.ID)
			}
			seen[r.ID] = true
			for field, v := range map[string]string{"Title": r.Title, "Why": r.Why, "Fix": r.Fix, "Since": r.Since, "Category": string(r.Category)} {
				if strings.TrimSpace(v) == "" {
					t.Errorf("%s is empty", field)
				}
			}
			if len(r.Sources) == 0 || r.Check == nil {
				t.Error("a rule needs a source and a check")
			}
			if r.Action.Baseline > r.Action.Strict || r.Likely.Baseline > r.Likely.Strict || r.Likely.Strict > r.Action.Strict {
				t.Error("strict must not be milder than baseline, nor likely harder than proven")
			}
			for _, p := range r.Params {
				if p.Name == "" || p.Doc == "" || reflect.TypeOf(p.Baseline) != reflect.TypeOf(p.Strict) {
					t.Errorf("parameter %+v needs a name, a doc and defaults of one type", p)
				}
				if err := p.checkType(p.Baseline); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
