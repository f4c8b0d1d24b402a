package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/cmd/probity/internal/uninstall"
)

// uninstalling is `probity uninstall` with its flags.
type uninstalling struct {
	kubeconfigFlags
	program     program
	namespace   string
	all, dryRun bool
}

func newUninstall(p program) *cobra.Command {
	u := uninstalling{program: p}
	command := &cobra.Command{
		Use:   "uninstall",
		Short: "Take Probity out of a cluster, and what it made",
		Long: `Take Probity out of a cluster: first its webhook configurations, so that no
request waits for it; then its Deployment; then the PodDisruptionBudgets and the
reports that it made. With --all what else was installed goes, too: permissions,
Service, configuration, namespace.

Budgets that you have made yours, by removing their label, stay. So do startup probes
that were injected, in the objects that hold them, and the labels of namespaces.

It can be run again. Where Helm or a GitOps tool has installed Probity, remove it there
as well, or it comes back.

Exit status: 0 done, or nothing to do; 2 bad usage, no cluster, or something that could
not be removed, while all else was.`,
		Example: `  # what would go
  probity uninstall --all --dry-run

  # all of it
  probity uninstall --all`,
		Args: atMost(0, "none"),
		RunE: func(command *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(command.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return u.run(ctx)
		},
	}
	flags := command.Flags()
	flags.BoolVar(&u.dryRun, "dry-run", false, "only list what would be deleted")
	flags.BoolVar(&u.all, "all", false, "delete what else was installed, too")
	flags.StringVarP(&u.namespace, "namespace", "n", "probity-system", "namespace where Probity is installed")
	u.add(command)
	return command
}

func (u *uninstalling) run(ctx context.Context) error {
	config, _, err := u.find()
	if err != nil {
		return err
	}
	config.QPS = -1 // thousands of budgets, one after the other
	c, err := client.New(config, client.Options{Scheme: clientgoscheme.Scheme})
	if err != nil {
		return fmt.Errorf("connect to the cluster: %w", err)
	}
	result := uninstall.Run(ctx, uninstall.Options{Client: c, Namespace: u.namespace, All: u.all, DryRun: u.dryRun, Out: u.program.stdout})
	for _, err := range result.Failed {
		fmt.Fprintf(u.program.stderr, "%s: %s\n", u.program.name, report.Safe(err.Error()))
	}
	if result.NoProgram && result.Removed > 0 {
		fmt.Fprintf(u.program.stderr, "%s: warning: there is no Deployment of Probity in namespace %s; if it runs elsewhere (-n says where), it makes the budgets again\n",
			u.program.name, report.Safe(u.namespace))
	}
	switch {
	case len(result.Failed) > 0:
		return exitStatus(exitUnusable)
	case result.Removed == 0:
		fmt.Fprintln(u.program.stdout, "nothing to remove")
	}
	return nil
}
