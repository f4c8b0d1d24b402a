package validate

import (
	"net/url"
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
			if strings.HasSuffix(r.Title, ".") || strings.Contains(r.Title, "\n") {
				t.Errorf("title %q must be one line without a full stop", r.Title)
			}
			for field, v := range map[string]string{"Why": r.Why, "Fix": r.Fix} {
				if !strings.HasSuffix(v, ".") {
					t.Errorf("%s must end with a full stop: %q", field, v)
				}
			}
			for _, source := range r.Sources {
				if u, err := url.Parse(source); err != nil || u.Scheme != "https" || u.Host == "" {
					t.Errorf("source %q must be an https URL", source)
				}
			}
			if len(r.Sources) == 0 || (r.Check == nil) == (r.CheckBundle == nil) {
				t.Error("a rule needs a source, and one of Check and CheckBundle")
			}
			if r.AnyOrder && (r.Action.Baseline == Deny || r.Action.Strict == Deny) {
				t.Error("a rule about objects that come in any order must not deny")
			}
			if r.Action.Baseline > r.Action.Strict || r.Likely.Baseline > r.Likely.Strict || r.Likely.Strict > r.Action.Strict {
				t.Error("strict must not be milder than baseline, nor likely harder than proven")
			}
			params := map[string]bool{}
			for _, p := range r.Params {
				if params[p.Name] || !strings.HasSuffix(p.Doc, ".") {
					t.Errorf("parameter %s must have a name of its own and a doc that ends with a full stop", p.Name)
				}
				params[p.Name] = true
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
