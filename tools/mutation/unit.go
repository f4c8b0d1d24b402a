package main

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// sources are the files that get broken, as patterns: the rules, what they stand
// on, what reads commands and endpoints, and the injection of startup probes.
var sources = []string{
	"validate/rule_*.go",
	"validate/answer.go", "validate/evaluate.go", "validate/host.go", "validate/timing.go",
	"validate/startup_budget.go", "validate/injection.go", "validate/disruption.go",
	"validate/disruption_budget.go", "validate/disruption_custom.go", "validate/disruption_gather.go",
	"validate/disruption_pods.go", "validate/disruption_select.go",
	"workload/probe.go", "workload/port.go", "workload/selector.go", "workload/disruption.go",
	"validate/dependency/*/*.go",
	"mutate/*.go",
}

// unit is one file that gets broken.
type unit struct {
	// name is the rule's id, or the path without its ending.
	name string
	file string
	// rule is set for a file that is a rule.
	rule bool
}

// dir is the folder of the unit's package.
func (u unit) dir() string { return path.Dir(u.file) }

// findUnits gives the units with a name that matches one of the patterns, or all.
func findUnits(root string, patterns []string) ([]unit, error) {
	var units []unit
	for _, source := range sources {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(source)))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			file, err := filepath.Rel(root, name)
			if err != nil {
				return nil, err
			}
			u := unitOf(filepath.ToSlash(file))
			if strings.HasSuffix(file, "_test.go") || slices.Contains(units, u) {
				continue
			}
			units = append(units, u)
		}
	}
	if len(patterns) == 0 {
		return units, nil
	}
	return selectUnits(units, patterns)
}

func unitOf(file string) unit {
	name := strings.TrimSuffix(file, ".go")
	if rule, ok := strings.CutPrefix(name, "validate/rule_"); ok {
		return unit{strings.ReplaceAll(rule, "_", "-"), file, true}
	}
	return unit{name, file, false}
}

func selectUnits(units []unit, patterns []string) ([]unit, error) {
	var selected []unit
	for _, pattern := range patterns {
		known := false
		for _, u := range units {
			match, err := path.Match(pattern, u.name)
			if err != nil {
				return nil, fmt.Errorf("%q is no pattern: %w", pattern, err)
			}
			known = known || match
			if match && !slices.Contains(selected, u) {
				selected = append(selected, u)
			}
		}
		if !known {
			return nil, fmt.Errorf("no rule and no file is named %q; names are such as liveness-window, budget-*, validate/host", pattern)
		}
	}
	return selected, nil
}
