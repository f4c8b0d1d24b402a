package exemptions

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
)

// FuzzMerge: whatever legal configuration it is that exemptions are added to, it stays
// legal and says what it said, and the new ones stand before those that were there.
func FuzzMerge(f *testing.F) {
	for _, text := range []string{
		"", head, head + "exemptions: # none\nkinds:\n", head + "exemptions:\n    # all\n    namespaces: [a]\nrules:\n",
		head + "exemptions:\n  workloads:\n" + indented(there, 4) + "# end\n", head + "exemptions:\n  workloads:\n" + indented(there, 2),
		head + "exemptions: {namespaces: [a], workloads: []} # mine\n", "--- # first\r\n" + strings.ReplaceAll(head, "\n", "\r\n") + "exemptions: ~\r\n...\r\n",
		"{apiVersion: probity.dev/v1alpha1, kind: Configuration}", "? apiVersion\n: probity.dev/v1alpha1\n? kind\n: Configuration\n",
		"  apiVersion: probity.dev/v1alpha1\n  kind: \"Configuration\"\n  exemptions:\n      workloads: !!seq\n", "\ufeff" + head, "%YAML 1.1\n---\n" + head,
	} {
		f.Add(text, "")
	}
	for _, below := range []string{"exemptions: &a\n  workloads: &b []\n", "exemptions:\n\n  # x\n\n  users: [a]\n  workloads:\n\n  - {match: {names: [a]}, rules: ['*'], reason: \"b\\n\"}\n", "defaults: {mode: warn}\n\nexemptions:\n", "'exemptions': !!map {}", "# end"} {
		f.Add(head, below)
	}
	f.Fuzz(func(t *testing.T, text, below string) {
		text += below
		before, err := config.Parse("config.yaml", []byte(text))
		var l List
		findings(&l)
		merged, failed := l.Merge("config.yaml", []byte(text), terms)
		switch {
		case strings.TrimSpace(text) == "":
			return
		case err != nil:
			if failed == nil {
				t.Fatalf("an illegal configuration was merged: %v", err)
			}
			return
		case failed != nil:
			if !strings.Contains(failed.Error(), "laid out like this") {
				t.Errorf("%q: %v", text, failed)
			}
			return
		}
		after, err := config.Parse("config.yaml", merged)
		if err != nil {
			t.Fatalf("%q became illegal: %v\n%s", text, err, merged)
		}
		kept := after.Exemptions.Workloads
		if len(kept) != 3+len(before.Exemptions.Workloads) {
			t.Fatalf("%q: %d exemptions, want 3 beside %d\n%s", text, len(kept), len(before.Exemptions.Workloads), merged)
		}
		after.Exemptions.Workloads = kept[3:]
		if diff := cmp.Diff(placeless(before.Exemptions), placeless(after.Exemptions)); diff != "" {
			t.Errorf("%q (-before +after)\n%s", text, diff)
		}
		if diff := cmp.Diff(before.Defaults, after.Defaults); diff != "" {
			t.Errorf("%q (-before +after)\n%s", text, diff)
		}
	})
}

// placeless takes away the lines, which move.
func placeless(e validate.Exemptions) validate.Exemptions {
	e.Workloads = append([]validate.Exemption{}, e.Workloads...)
	for i := range e.Workloads {
		e.Workloads[i].Line = 0
	}
	return e
}
