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
