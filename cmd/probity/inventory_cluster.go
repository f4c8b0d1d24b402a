package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/probity-dev/probity/audit"
	"github.com/probity-dev/probity/cmd/probity/internal/inventory"
	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// listClusterProbes is inventory of a cluster. Modes do not count: what runs is
// listed, whether it is judged or not.
func listClusterProbes(ctx context.Context, p program, cluster *clusterFlags, format string, kinds *workload.Kinds, lists inventory.Lister) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	lister, namespace, err := cluster.connect()
	if err != nil {
		return err
	}
	progress := newProgress(p.stderr)
	list := inventory.New()
	seen := 0
	source := clusterSource{
		lister: lister, namespace: namespace, kinds: kinds, note: func(string) {},
		settings: func(map[string]string) validate.Settings { return validate.Settings{Mode: validate.ModeAudit} },
	}
	read, err := source.read(ctx, func(_ validate.Settings, i audit.Item) error {
		seen++
		progress.say("reading: %s", report.Count(seen, "object"))
		addProbes(list, i, lists)
		return nil
	})
	progress.clear()
	if err != nil {
		return err
	}
	list.Errors = append(list.Errors, read.errors...)
	slices.SortStableFunc(list.Probes, func(a, b inventory.Probe) int { return strings.Compare(a.Source.File, b.Source.File) })
	return writeInventory(p, list, format, len(list.Errors) > 0)
}

// addProbes lists the probes of an object. A fault of ours in one hides no other.
func addProbes(list *inventory.Inventory, i audit.Item, lists inventory.Lister) {
	place := clusterPlace(i.Ref.Namespace, i.Resource, i.Ref.Name)
	fail := func(message string) {
		list.Errors = append(list.Errors, workload.InputError{File: place.File, Message: message})
	}
	defer func() {
		if r := recover(); r != nil {
			fail(fmt.Sprintf("could not be read for a fault in Probity, please report it: %v", r))
		}
	}()
	if i.Err != nil {
		fail(i.Err.Error())
		return
	}
	w := i.Object.Workload
	if w == nil {
		return
	}
	for _, problem := range w.Problems {
		fail(problem.String())
	}
	probes := lists.Probes(w, func(string) workload.Source { return place })
	list.Probes = append(list.Probes, probes...)
}
