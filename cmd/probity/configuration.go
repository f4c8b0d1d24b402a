package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
)

// configFlag is --config.
type configFlag struct{ path string }

func (f *configFlag) add(command *cobra.Command) {
	command.Flags().StringVar(&f.path, "config", "", "configuration file: changes to rules, your own endpoints and kinds")
	if err := command.MarkFlagFilename("config", "yaml", "yml", "json"); err != nil {
		panic(err) // unreachable: the flag has just been defined
	}
}

// load reads the file; without one, nothing is configured.
func (f *configFlag) load(p program) (*config.Config, error) {
	if f.path == "" {
		return config.Default(), nil
	}
	c, err := f.read()
	if err != nil {
		return nil, tellProblems(p, err)
	}
	return c, nil
}

// read takes the file as the program in a cluster sees it, or the ConfigMap from which
// that one comes.
func (f *configFlag) read() (*config.Config, error) {
	if data, err := os.ReadFile(f.path); err == nil {
		if text, ok := inConfigMap(data); ok {
			return config.Parse(f.path, text)
		}
	}
	return config.Load(f.path)
}

// policy returns the configuration and what to judge by. The profile is the
// flag's when it is given, then the file's.
func (f *configFlag) policy(p program, command *cobra.Command, profile *choice[validate.Profile]) (*config.Config, *validate.Policy, error) {
	c, err := f.load(p)
	if err != nil {
		return nil, nil, err
	}
	if c.Defaults.Profile != nil && !command.Flags().Changed("profile") {
		profile.value = *c.Defaults.Profile
	}
	policy := c.Policy(profile.value)
	if c.Defaults.Injection != nil {
		policy = policy.WithInjection(*c.Defaults.Injection)
	}
	return c, policy, nil
}

// judge returns the configuration and what judges by it, today.
func (f *configFlag) judge(p program, command *cobra.Command, profile *choice[validate.Profile]) (*config.Config, validate.Judge, error) {
	c, policy, err := f.policy(p, command, profile)
	if err != nil {
		return nil, validate.Judge{}, err
	}
	return c, validate.Judge{Policy: policy, Exemptions: &c.Exemptions, Now: p.clock()}, nil
}

// tellProblems gives every mistake in a configuration a line on standard error.
func tellProblems(p program, err error) error {
	var list *config.Error
	if !errors.As(err, &list) {
		return err
	}
	for _, line := range list.Lines() {
		fmt.Fprintln(p.stderr, report.FileName(line))
	}
	return exitStatus(exitUnusable)
}
