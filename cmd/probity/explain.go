package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/validate"
)

func newExplain(p program) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "explain [RULE]",
		Short: "List the rules, or say all about one",
		Long: `Without an argument: all rules, what each does in each profile. With a rule's
id: why the rule is there, how to keep it, what can be set, and a few manifests
that break and keep it; with --all each one that the rule is tested with.`,
		Example: `  probity explain
  probity explain liveness-dependency-exec`,
		Args:              atMost(1, "one rule's id, or none for all"),
		ValidArgsFunction: completeRule,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return report.Rules(p.output(), validate.Rules())
			}
			return explain(p, args[0], all)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "with all examples of the rule")
	return cmd
}

func explain(p program, id string, all bool) error {
	rule, ok := validate.FindRule(id)
	if !ok {
		return unknownRule(id)
	}
	page, err := rulePage(rule, all)
	if err != nil {
		return err
	}
	return report.Page(p.output(), page)
}

func rulePage(rule *validate.Rule, all bool) (string, error) {
	if all {
		return rule.Markdown()
	}
	page, others, err := rule.Brief()
	if err != nil || others == 0 {
		return page, err
	}
	return fmt.Sprintf("%s\nMore examples (%d): `probity explain %s --all`.\n", page, others, rule.ID), nil
}

// completeRule offers the ids of rules with their titles.
func completeRule(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for _, r := range validate.Rules() {
		if len(args) == 0 && strings.HasPrefix(r.ID, begun) {
			ids = append(ids, cobra.CompletionWithDesc(r.ID, r.Title))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// unknownRule names the rules whose ids share the most words with what was asked
// for, in whole or as far as a word of it goes.
func unknownRule(id string) error {
	asked := strings.ToLower(id)
	var near []string
	most := 1
	for _, r := range validate.Rules() {
		shared := 0
		for word := range strings.SplitSeq(r.ID, "-") {
			if len(word) > 2 && strings.Contains(asked, word) || begins(word, asked) {
				shared++
			}
		}
		if shared > most {
			near, most = nil, shared
		}
		if shared == most {
			near = append(near, r.ID)
		}
	}
	if len(near) == 0 || len(near) > 5 {
		return usageError{fmt.Errorf("rule %q does not exist: `probity explain` lists all", id)}
	}
	return usageError{fmt.Errorf("rule %q does not exist: did you mean %s?", id, strings.Join(near, ", "))}
}

// begins reports whether a word of the text is the beginning of a word, of three
// letters at least.
func begins(word, text string) bool {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if len(part) > 2 && strings.HasPrefix(word, part) {
			return true
		}
	}
	return false
}
