package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/probity-dev/probity/cmd/probity/internal/inventory"
	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/cmd/probity/internal/scan"
	"github.com/probity-dev/probity/mutate"
	"github.com/probity-dev/probity/workload"
)

func newInventory(p program) *cobra.Command {
	format := choice[word]{"text", parseInventoryFormat, inventory.Formats()}
	profile := profileChoice()
	var config configFlag
	var cluster clusterFlags
	command := &cobra.Command{
		Use:   "inventory [flags] {FILE|DIR|-... | -n NAMESPACE | -A}",
		Short: "List probes: what each asserts, who acts on it, how soon",
		Long: `List every probe in manifests or in a cluster, one line each: what it asserts (this
process, this instance, a shared dependency, or unknown), what in the manifest shows
it, who consumes the verdict, what its failure does and how long after the fault, how
long the container may take to start (under the startup probe that Probity injects,
where the configuration or an annotation says so), and the rules that the probe breaks.

Exit status: 0, or 2 for bad usage or input that could not be read.`,
		Example: `  probity inventory deploy/
  helm template charts/shop | probity inventory -
  probity inventory -o csv deploy/ > probes.csv

  # what runs in a namespace, and in the cluster of another context
  probity inventory -n shop
  probity inventory -A --context production`,
		Args: func(command *cobra.Command, args []string) error {
			if cluster.chosen() {
				return atMost(0, "files or a cluster, not both")(command, args)
			}
			return someInput("nothing to list: give files, folders, or - for standard input; or -n or -A for a cluster")(command, args)
		},
		ValidArgsFunction: completeManifests,
		RunE: func(command *cobra.Command, args []string) error {
			c, judge, err := config.judge(p, command, &profile)
			if err != nil {
				return err
			}
			lists := inventory.Lister{Judge: judge, StartupBudget: cmp.Or(c.StartupBudget, mutate.DefaultStartupBudget)}
			if cluster.chosen() {
				return listClusterProbes(command.Context(), p, &cluster, format.value.String(), c.Kinds(), lists)
			}
			return listProbes(p, args, format.value.String(), c.Kinds(), lists)
		},
	}
	format.add(command, "output", "o", "form of the list")
	profile.add(command, "profile", "", "by which profile findings are listed")
	cluster.add(command, "with --context or --kubeconfig alone: the context's")
	config.add(command)
	return command
}

func parseInventoryFormat(s string) (word, error) { return word(s), inventory.CheckFormat(s) }

func listProbes(p program, args []string, format string, kinds *workload.Kinds, lister inventory.Lister) error {
	list, unread, workloads := inventory.New(), false, 0
	var notes []scan.Note
	scanner := scan.Scanner[[]inventory.Probe]{
		Kinds: kinds,
		Stdin: p.stdin,
		Note:  func(n scan.Note) { notes = append(notes, n) },
		Work: func(d workload.Document) []inventory.Probe {
			if d.Object == nil || d.Object.Workload == nil {
				return nil
			}
			return lister.Probes(d.Object.Workload, func(path string) workload.Source {
				return workload.Source{File: d.Source.File, Line: d.Line(path)}
			})
		},
	}
	err := scanner.Scan(args, func(string) {}, func(r scan.Result[[]inventory.Probe]) error {
		list.Probes = append(list.Probes, r.Value...)
		if r.Document.Object != nil && r.Document.Object.Workload != nil {
			workloads++
		}
		if r.Document.Foreign && r.Found {
			return nil
		}
		for _, e := range r.Document.Errors {
			unread = unread || !e.Judged
			list.Errors = append(list.Errors, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range notes {
		if workloads > 0 {
			newProgress(p.stderr).note(n.Folder + " " + n.Text("inventory"))
			continue
		}
		unread = true
		list.Errors = append(list.Errors, workload.InputError{File: n.Folder, Message: n.Text("inventory")})
	}
	return writeInventory(p, list, format, unread)
}

// writeInventory ends the command. unread is set when something could not be read.
func writeInventory(p program, list *inventory.Inventory, format string, unread bool) error {
	if err := list.Write(format, p.output()); err != nil {
		return err
	}
	if format != "json" { // which has them in the list
		tellErrors(p, list.Errors)
	}
	if unread {
		return exitStatus(exitUnusable)
	}
	return nil
}

// tellErrors writes input errors beside a result that has no room for them.
func tellErrors(p program, errs []workload.InputError) {
	for _, e := range errs {
		fmt.Fprintln(p.stderr, report.ErrorLine(e))
	}
}
