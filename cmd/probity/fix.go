package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/probity-dev/probity/cmd/probity/internal/fix"
	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/cmd/probity/internal/scan"
	"github.com/probity-dev/probity/mutate"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

func newFix(p program) *cobra.Command {
	profile := choice[validate.Profile]{validate.Baseline, validate.ParseProfile, []string{"baseline", "strict"}}
	write := false
	command := &cobra.Command{
		Use:   "fix [flags] FILE|DIR|-...",
		Short: "Print manifests with the startup probes that are missing",
		Long: `Print manifests with the startup probes that Probity would inject: for each probed
container with a liveness probe and no startup probe, unless its liveness probe has
a finding that denies. Lines are added and nothing else changes: comments, order and
style stay. What was added is told on standard error.

Exit status: 0, or 2 for bad usage or input that could not be read.`,
		Example: `  probity fix deploy/orders.yaml
  probity fix --write deploy/
  helm template charts/shop | probity fix - | kubectl apply -f -`,
		Args:              someInput,
		ValidArgsFunction: completeManifests,
		RunE: func(_ *cobra.Command, args []string) error {
			return fixFiles(p, args, profile.value, write)
		},
	}
	profile.add(command, "profile", "", "by which profile a liveness probe is sound")
	command.Flags().BoolVarP(&write, "write", "w", false, "write files in place, and print only what was added")
	return command
}

func fixFiles(p program, args []string, profile validate.Profile, write bool) error {
	fixer := fix.Fixer{
		Kinds:  workload.DefaultKinds(),
		Policy: validate.MustPolicy(profile).WithInjection(validate.Injection{Startup: true}),
		Budget: mutate.DefaultStartupBudget,
	}
	f := fixing{program: p, fixer: fixer, write: write}
	if err := scan.Files(args, p.stdin, newProgress(p.stderr).note, f.file); err != nil {
		return err
	}
	if f.unread {
		return exitStatus(exitUnusable)
	}
	return nil
}

// fixing is `probity fix` at work.
type fixing struct {
	program program
	fixer   fix.Fixer
	write   bool
	// unread is set once something could not be read, and printed once a file
	// stands on the output.
	unread, printed bool
}

func (f *fixing) file(file scan.File) error {
	if file.Err != nil {
		f.unread = true
		tellErrors(f.program, []workload.InputError{{File: file.Name, Message: file.Err.Error()}})
		return nil
	}
	r := f.fixer.File(file.Name, file.Data)
	ours := false
	for i := range r.Documents {
		d := &r.Documents[i]
		if d.Foreign && file.Found {
			continue
		}
		ours = true
		for _, e := range d.Errors {
			f.unread = f.unread || !e.Judged
		}
		tellErrors(f.program, d.Errors)
	}
	tellErrors(f.program, r.Left)
	for _, what := range r.Added {
		fmt.Fprintf(f.program.stderr, "%s: startupProbe added: %s\n", report.Safe(file.Name), report.Safe(what))
	}
	switch {
	case f.write && file.Name != scan.StdinName:
		if len(r.Added) == 0 {
			return nil
		}
		return overwrite(file.Name, r.Text)
	case ours:
		return f.print(r.Text)
	default:
		return nil
	}
}

// print writes a file behind those before it, as one stream of documents.
func (f *fixing) print(text []byte) error {
	if f.printed && !bytes.HasPrefix(text, []byte("---")) {
		if _, err := fmt.Fprintln(f.program.stdout, "---"); err != nil {
			return err
		}
	}
	f.printed = true
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(bytes.Clone(text), '\n')
	}
	_, err := f.program.stdout.Write(text)
	return err
}

// overwrite keeps the file's mode.
func overwrite(name string, text []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, info.Mode().Perm())
}
