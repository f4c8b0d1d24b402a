// Command cluster runs a local Kubernetes control plane with Probity in it until
// Ctrl-C.
//
//	go run ./cmd/cluster
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/probity-dev/probity/e2e/install"
)

const (
	developer          = "developer"
	developerNamespace = "default"
)

func main() {
	nodes := flag.Int("nodes", 2, "how many nodes the cluster has")
	flag.Parse()

	install.Main("cluster", func(ctx context.Context) error { return run(ctx, *nodes, os.Stdout, os.Stderr) })
}

func run(ctx context.Context, nodes int, stdout, stderr io.Writer) (err error) {
	cluster, err := install.StartLocal(ctx, nodes, stderr)
	if err != nil {
		return err
	}
	defer func() {
		fmt.Fprintln(stderr, "Stopping the cluster.")
		if stopErr := cluster.Stop(); err == nil {
			err = stopErr
		}
	}()
	user, err := cluster.Editor(ctx, developer, nil, developerNamespace)
	if err != nil {
		return err
	}
	overlay := filepath.Join(cluster.Dir(), "overlay")
	if err := cluster.Probity.WriteOverlay(ctx, overlay); err != nil {
		return err
	}
	fmt.Fprint(stdout, usage(cluster, user, overlay))
	return cluster.Wait(ctx)
}

func usage(cluster *install.Local, user, overlay string) string {
	return fmt.Sprintf(`The cluster runs, with Probity in it. Pods are scheduled and turn ready, but no container runs.
Probity is a process beside the cluster and no Deployment in it: it serves until Ctrl-C, and makes the budgets again that
"probity uninstall" removes. In another terminal:

  export KUBECONFIG=%s
  export PATH=%s:$PATH
  kubectl label namespace %s probity.dev/mode=enforce

Where a page says "kubectl apply -k overlay", it is here:

  kubectl apply -k %s

Any other overlay does not fit: its webhooks call a Service, behind which nothing runs here. Where they are new, all requests go
through unjudged; where they exist, the API server refuses the change. "kubectl delete -k overlay" is for other clusters: Ctrl-C
removes all of this one.

An ordinary user, who may edit in the namespace %q:

  export KUBECONFIG=%s

Logs, Probity's too, and the audit log are in %s
Ctrl-C stops the cluster and removes it.
`, cluster.Admin, filepath.Dir(cluster.KubectlPath()), developerNamespace, overlay, developerNamespace, user, cluster.Dir())
}
