package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/validate"
)

// judgingFlags are those of the commands that judge: files, or a cluster.
type judgingFlags struct {
	format  choice[word]
	profile choice[validate.Profile]
	mode    choice[validate.Mode]
	failOn  choice[validate.Action]
	config  configFlag
	exempt  exemptionFlags
}

func newJudgingFlags() judgingFlags {
	return judgingFlags{
		format:  choice[word]{"text", parseFormat, report.Formats()},
		profile: profileChoice(),
		mode:    choice[validate.Mode]{validate.ModeEnforce, validate.ParseMode, []string{"enforce", "warn", "audit", "off"}},
		failOn:  choice[validate.Action]{validate.Deny, parseFailOn, []string{"deny", "warn"}},
	}
}

// profileChoice is --profile.
func profileChoice() choice[validate.Profile] {
	return choice[validate.Profile]{validate.Baseline, validate.ParseProfile, []string{"baseline", "strict"}}
}

// addForCluster defines the flags on a command where labels say profile and mode
// unless these flags do.
func (f *judgingFlags) addForCluster(command *cobra.Command) {
	f.add(command)
	for _, name := range []string{"profile", "mode"} {
		command.Flags().Lookup(name).DefValue = "what labels say"
	}
}

// add defines the flags on a command.
func (f *judgingFlags) add(command *cobra.Command) {
	f.format.add(command, "output", "o", "form of the result")
	f.profile.add(command, "profile", "", "which findings deny and which warn")
	f.mode.add(command, "mode", "", "what findings do")
	f.failOn.add(command, "fail-on", "", "the mildest finding that makes the exit status 1")
	f.config.add(command)
	f.exempt.add(command)
}

func parseFormat(s string) (word, error) {
	_, err := report.New(s, report.Output{})
	return word(s), err
}

func parseFailOn(s string) (validate.Action, error) {
	if a, err := validate.ParseAction(s); err == nil && a != validate.Off {
		return a, nil
	}
	return validate.Deny, errors.New("must be deny or warn")
}
