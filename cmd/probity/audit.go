package main

import (
	"context"
	"maps"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/probity-dev/probity/audit"
	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/workload"
)

// auditing is `probity audit` with its flags.
type auditing struct {
	judgingFlags
	program program
	cluster clusterFlags
}

func newAudit(p program) *cobra.Command {
	a := auditing{judgingFlags: newJudgingFlags(), program: p}
	command := &cobra.Command{
		Use:   "audit [flags]",
		Short: "Judge what a cluster already runs",
		Long: `Judge the workloads and disruption budgets that a cluster already has. Nothing is
written to it, and Probity need not be installed there.

Each namespace is judged in the mode and by the profile that its labels say:
enforce denies and warns, warn denies nothing, audit lists findings and never
fails, off judges nothing. Where labels do not say it is the configuration's
default, else enforce and baseline, as in "probity check". With --mode or --profile
the labels do not count: --mode enforce tells what would be refused.

What belongs to something above it is passed over, such as the Pods of a
Deployment. A kind that you may not list is an error, and everything else is judged
all the same; budgets are not, since they may be for what was not seen.

Exit status: 0 nothing denied, 1 something denied, 2 bad usage, no cluster, or
something that could not be read.`,
		Example: `  # the namespace of the current context
  probity audit

  # what would break if every namespace were in mode enforce
  probity audit -A --mode enforce

  # as a table for a page or a ticket
  probity audit -n shop -o markdown

  # let everything through that is broken today, and enforce for what is new
  probity audit -A --mode enforce --write-exemptions probity.yaml --until 2027-06-30`,
		Args: atMost(0, "none; -n and -A say where to look"),
		RunE: func(command *cobra.Command, _ []string) error { return a.run(command) },
	}
	a.cluster.add(command, "default: the context's")
	a.addForCluster(command)
	return command
}

func (a *auditing) run(command *cobra.Command) error {
	ctx, stop := signal.NotifyContext(command.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := a.exempt.prepare(command, &a.config, a.program.clock()); err != nil {
		return err
	}
	configured, err := a.config.load(a.program)
	if err != nil {
		return err
	}
	handler, err := report.New(a.format.value.String(), a.program.output())
	if err != nil {
		return err
	}
	lister, namespace, err := a.cluster.connect()
	if err != nil {
		return err
	}
	progress := newProgress(a.program.stderr)
	source := clusterSource{
		lister: lister, namespace: namespace, kinds: configured.Kinds(), note: progress.note,
		assumed:  configured.Defaults.Mode == nil && !command.Flags().Changed("mode"),
		settings: settingsOf(configured, changed(command, "mode", &a.mode), changed(command, "profile", &a.profile)),
	}
	findings, err := a.judge(ctx, &source, configured, progress)
	progress.clear()
	if err != nil {
		return err
	}
	if a.exempt.wanted() {
		return a.writeExemptions(findings)
	}
	if err := findings.tell(handler); err != nil {
		return err
	}
	return findings.status(a.failOn.value)
}

// writeExemptions writes a configuration in place of a report.
func (a *auditing) writeExemptions(findings *clusterFindings) error {
	collector := exemptionCollector{program: a.program}
	if err := findings.tell(&collector); err != nil {
		return err
	}
	if err := a.exempt.write(a.program, &collector.list); err != nil {
		return err
	}
	if len(findings.errors) > 0 {
		return exitStatus(exitUnusable)
	}
	return nil
}

// judge judges all that the source has.
func (a *auditing) judge(ctx context.Context, source *clusterSource, c *config.Config, progress *progress) (*clusterFindings, error) {
	found := newClusterFindings(a.config.path)
	policies, now := c.Policies(), a.program.clock()
	read, err := source.read(ctx, func(s validate.Settings, i audit.Item) error {
		found.pass(i.Ref.Namespace, validate.Judge{Policy: policies[s.Profile], Exemptions: &c.Exemptions, Now: now}, s).take(i)
		found.seen++
		progress.say("judging: %s", report.Count(found.seen, "object"))
		return nil
	})
	if err != nil {
		return nil, err
	}
	found.finish(read)
	if len(read.errors) > 0 {
		progress.note("disruption budgets are not judged, as they may be for what could not be read")
	}
	return found, nil
}

// changed returns the value of a flag that was given, else nil.
func changed[T interface{ String() string }](command *cobra.Command, name string, c *choice[T]) *T {
	if !command.Flags().Changed(name) {
		return nil
	}
	return &c.value
}

// settingsOf returns what tells the settings of a namespace by its labels. The flags,
// where given, stand in for the labels; where nothing is said it is as in check.
func settingsOf(c *config.Config, mode *validate.Mode, profile *validate.Profile) func(map[string]string) validate.Settings {
	defaults := c.Defaults.Settings(validate.ModeEnforce)
	if c.Defaults.Injection == nil {
		defaults.Injection = validate.Injection{} // Probity may not even be there
	}
	return func(labels map[string]string) validate.Settings {
		if mode != nil || profile != nil {
			labels = maps.Clone(labels)
			if labels == nil {
				labels = map[string]string{}
			}
		}
		if mode != nil {
			labels[workload.LabelMode] = mode.String()
		}
		if profile != nil {
			labels[workload.LabelProfile] = profile.String()
		}
		return validate.NamespaceSettings(labels, defaults)
	}
}
