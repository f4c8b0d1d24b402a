package main

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/cmd/probity/internal/scan"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// check is `probity check` with its flags.
type check struct {
	judgingFlags
	program program
	// skipForeign passes over files that are named and are none of ours.
	skipForeign bool
}

func newCheck(p program) *cobra.Command {
	c := check{judgingFlags: newJudgingFlags(), program: p}
	command := &cobra.Command{
		Use:   "check [flags] FILE|DIR|-...",
		Short: "Judge manifests in files, folders or standard input",
		Long: `Judge the probes of every workload in YAML and JSON files: multi-document
files, List kinds, what helm and kustomize render. Folders are read whole, without
hidden ones and node_modules; patterns such as 'deploy/*.yaml' may be quoted; - is
standard input.

Other files in a folder are passed over and counted. A file that is named must hold
Kubernetes objects, unless --skip-foreign says that it need not: it is for hooks that
name all the files of a commit, templates of Helm charts among them.

Modes are those of a namespace: enforce denies and warns as the profile says, warn
denies nothing, audit lists findings and never fails, off judges nothing.

With --write-exemptions FILE, what the input breaks today is written into FILE as
exemptions of a configuration, one for each object, so that enforcement can start on
what is new. A FILE that is there is added to and judged by; else what --config
names is copied. There is no report then, and the exit status is 0 or 2.

Exit status: 0 nothing denied, 1 something denied, 2 bad usage or input that could
not be read (everything else is judged all the same). A key that stands twice and a
misspelt field of a probe are warnings about the input, and change no status.`,
		Example: `  # a folder of manifests
  probity check deploy/

  # what is really applied
  helm template charts/shop | probity check -
  kustomize build overlays/prod | probity check --profile strict -

  # for machines
  probity check -o json deploy/ | jq '.findings[].rule'

  # let everything through that is broken today, and judge what is new
  probity check --write-exemptions probity.yaml --until 2027-06-30 deploy/
  probity check --config probity.yaml deploy/

  # a configuration alone, or the ConfigMap that holds it
  probity check --config probity.yaml

  # what runs in a namespace
  kubectl get deploy,sts,ds,cronjob -n shop -o yaml | probity check -`,
		Args:              c.someInput,
		ValidArgsFunction: completeManifests,
		RunE:              func(command *cobra.Command, args []string) error { return c.run(command, args) },
	}
	c.add(command)
	command.Flags().BoolVar(&c.skipForeign, "skip-foreign", false, "pass over files without Kubernetes objects, and templates and patches, also where they are named")
	return command
}

// someInput takes a configuration for input where nothing else is given.
func (c *check) someInput(command *cobra.Command, args []string) error {
	if c.config.path != "" && !c.exempt.wanted() {
		return nil
	}
	return someInput("nothing to check: give files, folders, or - for standard input")(command, args)
}

// someInput is cobra.MinimumNArgs(1) with an error that says what is legal.
func someInput(without string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError{errors.New(without)}
		}
		return nil
	}
}

func completeManifests(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

func (c *check) run(command *cobra.Command, args []string) error {
	if err := c.exempt.prepare(command, &c.config, c.program.clock()); err != nil {
		return err
	}
	configured, by, err := c.config.judge(c.program, command, &c.profile)
	if err != nil {
		return err
	}
	if len(args) == 0 && !command.Flags().Changed("output") {
		_, err := fmt.Fprintf(c.program.stdout, "%s: the configuration is legal\n", report.FileName(c.config.path))
		return err
	}
	handler, err := report.New(c.format.value.String(), c.program.output())
	if err != nil {
		return err
	}
	collector := exemptionCollector{program: c.program}
	if c.exempt.wanted() {
		handler = &collector
	}
	judge := judge{by, c.mode.value, c.config.path, configured.Defaults.Mode == nil}
	tally, err := c.scan(args, configured.Kinds(), judge, handler)
	if err != nil {
		return err
	}
	if err := tally.finish(judge); err != nil {
		return err
	}
	if !c.exempt.wanted() {
		return c.status(tally)
	}
	if err := c.exempt.write(c.program, &collector.list); err != nil {
		return err
	}
	if tally.unread {
		return exitStatus(exitUnusable)
	}
	return nil
}

// scan judges every object by itself.
func (c *check) scan(args []string, kinds *workload.Kinds, judge judge, handler report.Handler) (*tally, error) {
	progress := newProgress(c.program.stderr)
	defer progress.clear()
	var files atomic.Int64
	tally := newTally(handler, judge)
	var notes []scan.Note
	note := func(n scan.Note) { notes = append(notes, n) }
	scanner := scan.Scanner[judged]{Kinds: kinds, Stdin: c.program.stdin, Note: note, LikeFolder: c.skipForeign, Work: judge.document}
	err := scanner.Scan(args, func(string) { files.Add(1) }, func(r scan.Result[judged]) error {
		progress.clear()
		defer func() { progress.show(tally.totals.Objects, int(files.Load())) }()
		return tally.take(r)
	})
	if err == nil {
		err = c.unrendered(tally, notes, progress)
	}
	tally.totals.Files = int(files.Load())
	tally.totals.Profile, tally.totals.Mode = c.profile.value, c.mode.value
	return tally, err
}

// unrendered tells of the folders that were not read as they stand. Where that leaves
// nothing to judge it is an error: else a chart would never fail.
func (c *check) unrendered(t *tally, notes []scan.Note, p *progress) error {
	t.totals.Unrendered = len(notes)
	for _, n := range notes {
		if t.totals.Objects > 0 || c.skipForeign {
			p.note(n.Folder + " " + n.Text("check"))
			continue
		}
		if err := t.inputError(workload.InputError{File: n.Folder, Message: n.Text("check")}); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) status(t *tally) error {
	failed := t.totals.Denied > 0 || c.failOn.value == validate.Warn && t.totals.Warned > 0
	switch {
	case t.unread:
		return exitStatus(exitUnusable)
	case failed && c.mode.value != validate.ModeAudit:
		return exitStatus(exitDenied)
	default:
		return nil
	}
}
