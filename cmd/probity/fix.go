package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/probity-dev/probity/cmd/probity/internal/fix"
	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/cmd/probity/internal/scan"
	"github.com/probity-dev/probity/mutate"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

func newFix(p program) *cobra.Command {
	profile := profileChoice()
	var config configFlag
	write := false
	command := &cobra.Command{
		Use:   "fix [flags] FILE|DIR|-...",
		Short: "Print manifests with the startup probes and budgets that are missing",
		Long: `Print manifests with the startup probes that Probity would inject: for each probed
container with a liveness probe and no startup probe, unless its liveness probe has
a finding that denies. Probes are added and nothing else changes: comments, order and
style stay, in JSON too. The disruption budgets that Probity would make follow as
further documents. What was added is told on standard error. The configuration's
defaults.inject and the annotation probity.dev/inject say where nothing is added.

A file of which anything cannot be read is neither printed nor written, so that
what is not fixed does not pass for it.

Exit status: 0, or 2 for bad usage or input that could not be read.`,
		Example: `  probity fix deploy/orders.yaml
  probity fix --write deploy/
  helm template charts/shop | probity fix - | kubectl apply -f -`,
		Args:              someInput("nothing to fix: give files, folders, or - for standard input"),
		ValidArgsFunction: completeManifests,
		RunE: func(command *cobra.Command, args []string) error {
			c, judge, err := config.judge(p, command, &profile)
			if err != nil {
				return err
			}
			injection := validate.Injection{Startup: true, Budget: true}
			if c.Defaults.Injection != nil {
				injection = *c.Defaults.Injection
			}
			judge.Policy = judge.Policy.WithInjection(validate.Injection{Startup: true})
			f := fixing{program: p, write: write, fixer: fix.Fixer{
				Kinds: c.Kinds(), Judge: judge, Injection: injection,
				Budget: cmp.Or(c.StartupBudget, mutate.DefaultStartupBudget),
			}}
			f.budgets.Injection, f.budgets.Config, f.budgets.Judge = injection, c.Budget, judge
			return f.run(args)
		},
	}
	config.add(command)
	profile.add(command, "profile", "", "by which profile a liveness probe is sound")
	command.Flags().BoolVarP(&write, "write", "w", false, "write files in place, and print only what was added")
	return command
}

// fixing is `probity fix` at work.
type fixing struct {
	program program
	fixer   fix.Fixer
	write   bool
	// unread is set once something could not be read, found once there was a workload or
	// a budget, printed once a file stands on
	// the output, and told once it was said what is added, or why not.
	unread, found, printed, told bool

	budgets fix.Budgets
	// files are those of the workloads that may miss a budget, and further is what
	// is written behind a file.
	files   map[workload.Ref]string
	further map[string][]byte
	once    scan.Once
}

func (f *fixing) run(args []string) error {
	f.files, f.further, f.once = map[workload.Ref]string{}, map[string][]byte{}, scan.Once{}
	var notes []scan.Note
	if err := scan.Files(args, f.program.stdin, func(n scan.Note) { notes = append(notes, n) }, f.file); err != nil {
		return err
	}
	f.unrendered(notes)
	missing, err := f.budgets.Missing()
	if err != nil {
		return err
	}
	for _, budget := range missing {
		if err := f.budget(budget); err != nil {
			return err
		}
	}
	for _, file := range slices.Sorted(maps.Keys(f.further)) {
		if err := extend(file, f.further[file]); err != nil {
			return err
		}
	}
	if f.unread {
		return exitStatus(exitUnusable)
	}
	if !f.told {
		fmt.Fprintln(f.program.stderr, "probity: nothing to add")
	}
	return nil
}

// unrendered tells of the folders that were not read as they stand. Where that leaves
// nothing to fix it is an error, as in check.
func (f *fixing) unrendered(notes []scan.Note) {
	for _, n := range notes {
		if f.found {
			newProgress(f.program.stderr).note(n.Folder + " " + n.Text("fix"))
			continue
		}
		f.unread = true
		tellErrors(f.program, []workload.InputError{{File: n.Folder, Message: n.Text("fix")}})
	}
}

// budget puts a budget behind the file of its workload, or behind everything.
func (f *fixing) budget(b fix.Budget) error {
	file, ok := f.files[b.For]
	if !ok {
		return nil // the workload's file is not printed either, or it is exempt
	}
	f.told = true
	verb := "added"
	// JSON has no further documents.
	if f.write && strings.EqualFold(filepath.Ext(file), ".json") {
		verb = "is on standard output, as a JSON file holds no further document"
	}
	fmt.Fprintf(f.program.stderr, "%s: PodDisruptionBudget %s: %s\n", report.FileName(file), verb, report.Safe(b.For.String()))
	if !f.write || file == scan.StdinName || verb != "added" {
		return f.print([]byte(b.Text))
	}
	f.further[file] = append(f.further[file], "---\n"+b.Text...)
	return nil
}

// extend writes documents behind those of a file.
func extend(file string, documents []byte) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return overwrite(file, append(text, documents...))
}

func (f *fixing) file(file scan.File) error {
	if file.Err != nil {
		f.unread = true
		tellErrors(f.program, []workload.InputError{{File: file.Name, Message: file.Err.Error()}})
		return nil //nolint:nilerr // it has been told, and the other files are read all the same
	}
	r := f.fixer.File(file.Name, file.Data)
	unread := false
	var ours []*workload.Object
	for i := range r.Documents {
		d := &r.Documents[i]
		if d.Foreign && file.Found {
			continue
		}
		d.Errors = f.once.Of(d.Errors)
		for _, e := range d.Errors {
			f.unread = f.unread || !e.Judged
		}
		tellErrors(f.program, d.Errors)
		if d.Object == nil {
			unread = true
			continue
		}
		f.found = f.found || d.Object.Workload != nil || d.Object.Budget != nil
		ours = append(ours, d.Object)
		f.budgets.Add(d.Object)
	}
	tellErrors(f.program, r.Left)
	f.told = f.told || len(r.Added)+len(r.Left) > 0
	if unread {
		f.unread = true
		fmt.Fprintf(f.program.stderr, "%s: nothing is fixed in this file, as not all of it could be read\n", report.FileName(file.Name))
		return nil
	}
	for _, o := range ours {
		if o.Workload != nil && f.fixer.Judge.Exempts(o).By == "" {
			f.files[o.Ref] = file.Name
		}
	}
	for _, what := range r.Added {
		fmt.Fprintf(f.program.stderr, "%s: startupProbe added: %s\n", report.FileName(file.Name), report.Safe(what))
	}
	switch {
	case f.write && file.Name != scan.StdinName:
		if len(r.Added) == 0 {
			return nil
		}
		return overwrite(file.Name, r.Text)
	case len(ours) > 0:
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
