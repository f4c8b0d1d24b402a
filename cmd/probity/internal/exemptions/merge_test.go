package exemptions

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/workload"
)

func findings(l *List) {
	add := func(namespace, kind, name string, rules ...string) {
		for _, rule := range rules {
			l.Add(&validate.Finding{Rule: rule, Object: workload.Ref{APIVersion: "x/v1", Kind: kind, Namespace: namespace, Name: name}})
		}
	}
	add("shop", "StatefulSet", "db", "probe-period")
	add("shop", "Deployment", "on", "probe-period", "liveness-window", "probe-period")
	add("", "Deployment", "1e3", "probe-period")
	l.Add(&validate.Finding{Rule: "exec-timeout", Exempted: true, Object: workload.Ref{Kind: "Pod", Name: "exempted"}})
}

const (
	head = "apiVersion: probity.dev/v1alpha1\nkind: Configuration\n"
	list = `- match:
    kinds: [Deployment]
    names: ["1e3"]
  rules: [probe-period]
  reason: 'older: than enforcement'
  until: 2027-01-31
- match:
    namespaces: [shop]
    kinds: [Deployment]
    names: ["on"]
  rules: [liveness-window, probe-period]
  reason: 'older: than enforcement'
  until: 2027-01-31
- match:
    namespaces: [shop]
    kinds: [StatefulSet]
    names: [db]
  rules: [probe-period]
  reason: 'older: than enforcement'
  until: 2027-01-31
`
)

var terms = Terms{Reason: "older: than enforcement", Until: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)}

// there is an entry that a file has already.
const there = "- match: {names: [a]} # mine\n  rules: ['*']\n  reason: b\n"

func TestMerge(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a new file", "", newFile + "exemptions:\n  workloads:\n" + indented(list, 4)},
		{
			"a file without exemptions, and without an end of its last line", head + "\n# soon\ndefaults: {mode: warn}",
			head + "\n# soon\ndefaults: {mode: warn}\nexemptions:\n  workloads:\n" + indented(list, 4),
		},
		{"a field without content", head + "exemptions: # none\nkinds:\n", head + "exemptions: # none\n  workloads:\n" + indented(list, 4) + "kinds:\n"},
		{
			"other exemptions", head + "exemptions:\n    # all of these\n    namespaces: [a]\nrules:\n",
			head + "exemptions:\n    workloads:\n" + indented(list, 6) + "    # all of these\n    namespaces: [a]\nrules:\n",
		},
		{"a list without content", head + "exemptions:\n  workloads:\n  users: [a]\n", head + "exemptions:\n  workloads:\n" + indented(list, 4) + "  users: [a]\n"},
		{
			"a list", head + "exemptions:\n  workloads:\n    # of the others\n" + indented(there, 4) + "# end\n",
			head + "exemptions:\n  workloads:\n" + indented(list, 4) + "    # of the others\n" + indented(there, 4) + "# end\n",
		},
		{
			"a list without indent", head + "exemptions:\n  workloads:\n" + indented(there, 2),
			head + "exemptions:\n  workloads:\n" + indented(list, 2) + indented(there, 2),
		},
		{
			"an empty list is laid out anew", head + "# why\nexemptions:\n  workloads: []\n",
			head + "# why\nexemptions:\n  workloads:\n" + indented(list, 4),
		},
		{
			"so is a mapping in braces", head + "exemptions: {namespaces: [a]} # mine\n",
			head + "# mine\nexemptions:\n  namespaces: [a]\n  workloads:\n" + indented(list, 4),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l List
			findings(&l)
			got, err := l.Merge("config.yaml", []byte(tt.text), terms)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, err := config.Parse("config.yaml", got); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMergeOfNothingChangesNothing(t *testing.T) {
	text := head + "exemptions: {namespaces: [a]}"
	got, err := new(List).Merge("config.yaml", []byte(text), terms)
	if string(got) != text || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestMergeRefusesABadConfiguration(t *testing.T) {
	var l List
	findings(&l)
	_, err := l.Merge("config.yaml", []byte(head+"exemption:\n"), terms)
	if err == nil || !strings.HasPrefix(err.Error(), `config.yaml:3: has no field "exemption"`) {
		t.Errorf("got %v", err)
	}
}

func TestAnObjectWithoutANameCannotBeExempted(t *testing.T) {
	var l List
	if l.Add(&validate.Finding{Rule: "probe-period", Object: workload.Ref{Kind: "Pod"}}) || l.Objects() != 0 {
		t.Error("it was")
	}
}
