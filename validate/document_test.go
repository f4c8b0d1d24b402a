package validate

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdownOfEveryRuleHasAllSections(t *testing.T) {
	index := RuleIndex()
	for _, r := range Rules() {
		page, err := r.Markdown()
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"# " + r.ID, "## Why", "## How to fix", "## Breaks the rule", "## Keeps the rule", "## Sources"}
		if len(r.Params) > 0 {
			want = append(want, "## Parameters")
		}
		for _, heading := range want {
			if !strings.Contains("\n"+page, "\n"+heading+"\n") {
				t.Errorf("the page of %s has no %q", r.ID, heading)
			}
		}
		if !strings.Contains(index, "["+r.ID+"]("+r.ID+".md)") {
			t.Errorf("the index does not list %s", r.ID)
		}
	}
}

func TestParamFormatWritesWhatAConfigurationTakes(t *testing.T) {
	tests := []struct {
		value any
		want  string
	}{
		{true, "true"},
		{3, "3"},
		{30 * time.Second, "30s"},
		{10 * time.Minute, "10m"},
		{90 * time.Second, "1m30s"},
		{2 * time.Hour, "2h"},
	}
	for _, tt := range tests {
		if got := (Param{Baseline: tt.value}).Format(Baseline); got != tt.want {
			t.Errorf("%v is written %q, want %q", tt.value, got, tt.want)
		}
	}
}

func TestReflowJoinsProseAndLeavesTheRest(t *testing.T) {
	got := reflow("One\ntwo\n three.\n\n- a\n- b\n\n```\nx\n  y\n```\n\nEnd.\n")
	want := "One two three.\n\n- a\n- b\n\n```\nx\n  y\n```\n\nEnd."
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheBriefPageHasThePlainestExampleOfEachKind(t *testing.T) {
	examples := []Example{
		{Name: "fail-annotated", Fails: true, Directives: []string{"want: deny/deny x"}, Manifest: "kind: Deployment\nannotations:\n"},
		{Name: "fail-long", Fails: true, Directives: []string{"want: deny/deny x"}, Manifest: "kind: Deployment\na:\nb:\nc:\n"},
		{Name: "fail-plain", Fails: true, Directives: []string{"want: deny/deny x"}, Manifest: "kind: Deployment\na:\nb:\n"},
		{Name: "fail-set", Fails: true, Directives: []string{"set: max 1", "want: warn/deny x"}, Manifest: "kind: Deployment\n"},
		{Name: "fail-warned", Fails: true, Directives: []string{"want: warn/deny x"}, Manifest: "kind: Deployment\na:\n"},
		{Name: "fail-warned-too", Fails: true, Directives: []string{"want: off/deny x"}, Manifest: "kind: Deployment\na:\n"},
		{Name: "pass-job", Manifest: "kind: Job\n"},
		{Name: "pass-plain", Manifest: "kind: Deployment\na:\n"},
	}
	var got []string
	for _, e := range plainest(examples) {
		got = append(got, e.Name)
	}
	if diff := cmp.Diff([]string{"fail-plain", "fail-warned", "pass-plain"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheBriefPageOfEveryRuleBreaksAndKeepsIt(t *testing.T) {
	for _, r := range Rules() {
		page, others, err := r.Brief()
		if err != nil {
			t.Fatal(err)
		}
		all, err := r.Examples()
		if err != nil {
			t.Fatal(err)
		}
		if shown := len(all) - others; shown < 2 || shown > 3 {
			t.Errorf("the brief page of %s shows %d examples", r.ID, shown)
		}
		for _, heading := range []string{"## Breaks the rule", "## Keeps the rule"} {
			if !strings.Contains(page, "\n"+heading+"\n") {
				t.Errorf("the brief page of %s has no %q", r.ID, heading)
			}
		}
	}
}
