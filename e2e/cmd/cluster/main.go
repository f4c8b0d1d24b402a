// Command cluster runs a local Kubernetes control plane until Ctrl-C.
//
//	go run ./cmd/cluster
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/probity-dev/probity/e2e/controlplane"
)

const (
	developer          = "developer"
	developerNamespace = "default"
)

func main() {
	nodes := flag.Int("nodes", 2, "how many nodes the cluster has")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// A second Ctrl-C ends at once, and the children with it.
	context.AfterFunc(ctx, stop)
	if err := run(ctx, *nodes, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, nodes int, stdout, stderr io.Writer) (err error) {
	programs, err := controlplane.Build(ctx, stderr)
	if err != nil {
		return err
	}
	cluster, err := controlplane.Start(ctx, controlplane.Options{Programs: programs, Nodes: nodes})
	if err != nil {
		return err
	}
	defer func() {
		fmt.Fprintln(stderr, "Stopping the cluster.")
		if stopErr := cluster.Stop(); err == nil {
			err = stopErr
		}
	}()

	// What the cluster holds from the start is installed here, before it is
	// handed to a person.
	access, err := grantAccess(ctx, cluster)
	if err != nil {
		return err
	}
	fmt.Fprint(stdout, usage(cluster, access))
	return cluster.Wait(ctx)
}

// access holds the paths of the kubeconfig files that a person uses.
type access struct{ admin, developer string }

func grantAccess(ctx context.Context, cluster *controlplane.ControlPlane) (access, error) {
	admin, err := cluster.Kubeconfig(cluster.Admin())
	if err != nil {
		return access{}, err
	}
	user, err := cluster.User(developer)
	if err != nil {
		return access{}, err
	}
	if err := cluster.AllowEdit(ctx, developer, developerNamespace); err != nil {
		return access{}, err
	}
	kubeconfig, err := cluster.Kubeconfig(user)
	return access{admin: admin, developer: kubeconfig}, err
}

func usage(cluster *controlplane.ControlPlane, files access) string {
	return fmt.Sprintf(`The cluster runs. Pods are scheduled and turn ready, but no container runs. In another terminal:

  export KUBECONFIG=%s
  export PATH=%s:$PATH
  kubectl get nodes

An ordinary user, who may edit in the namespace %q:

  export KUBECONFIG=%s

Logs and the audit log are in %s
Ctrl-C stops the cluster and removes it.
`, files.admin, filepath.Dir(cluster.KubectlPath()), developerNamespace, files.developer, cluster.Dir())
}
