package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func newRoot(p program) *cobra.Command {
	root := &cobra.Command{
		Use:   "probity",
		Short: "Keep Kubernetes health probes honest",
		Long: `Probity keeps Kubernetes health probes honest. A failing probe restarts a
container or takes it out of service with no human in between, so what a probe
asks must be in the same failure domain as what its failure does.`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: p.name},
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,

		SuggestionsMinimumDistance: 2,

		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(
		newAudit(p),
		newCheck(p),
		newExplain(p),
		newFix(p),
		newInventory(p),
		newServe(p),
		newUninstall(p),
		newVersion(p),
	)
	return root
}

// noCommand explains an argument that is no command.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return usageError{fmt.Errorf("%q is no command: did you mean %s?", args[0], strings.Join(near, " or "))}
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return usageError{fmt.Errorf("%q is no command: there are %s", args[0], strings.Join(names, ", "))}
}

// atMost is cobra.MaximumNArgs with an error that says what is legal.
func atMost(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > n {
			return usageError{fmt.Errorf("too many arguments (%d): give %s", len(args), what)}
		}
		return nil
	}
}

// choice is a flag with a fixed set of values.
type choice[T fmt.Stringer] struct {
	value T
	parse func(string) (T, error)
	names []string
}

func (c *choice[T]) String() string {
	if c.parse == nil {
		return "" // pflag asks a zero value for the default
	}
	return c.value.String()
}

func (c *choice[T]) Set(s string) error {
	v, err := c.parse(s)
	if err != nil {
		return err
	}
	c.value = v
	return nil
}

func (c *choice[T]) Type() string { return strings.Join(c.names, "|") }

// add defines the flag on a command, with completion.
func (c *choice[T]) add(command *cobra.Command, name, short, usage string) {
	command.Flags().VarP(c, name, short, usage)
	complete := cobra.FixedCompletions(c.names, cobra.ShellCompDirectiveNoFileComp)
	if err := command.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(errors.New("flag " + name + ": " + err.Error())) // unreachable: the flag has just been defined
	}
}

// word is a value that is its own name.
type word string

func (w word) String() string { return string(w) }
