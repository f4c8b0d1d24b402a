//go:build node && linux

// Package node tests Probity as pods on a real node: a kubelet, containerd, runc and
// kube-proxy beside the control plane, in namespaces of their own, with the image that
// the Dockerfile makes and the manifests as they are.
package node

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/node/image"
	"github.com/probity-dev/probity/e2e/node/isolate"
	"github.com/probity-dev/probity/e2e/node/machine"
)

const (
	workloadImage = "localhost/workload:test"
	pauseImage    = "localhost/pause:test"

	socket  = "/run/containerd/containerd.sock"
	plugins = "/usr/lib/cni" // where Debian has them

	// readyTimeout bounds the start of a node, which takes some ten seconds.
	readyTimeout = 5 * time.Minute
)

//go:embed config
var configFiles embed.FS

// needs are the programs that a node runs, in addition to those for images.
func needs() []machine.Program {
	return append(image.Needs(),
		machine.Program{Path: "containerd", Package: "containerd"},
		machine.Program{Path: "ctr", Package: "containerd"},
		machine.Program{Path: "runc", Package: "runc"},
		machine.Program{Path: filepath.Join(plugins, "bridge"), Package: "containernetworking-plugins"},
		machine.Program{Path: filepath.Join(plugins, "host-local"), Package: "containernetworking-plugins"},
		machine.Program{Path: "iptables", Package: "iptables"},
		machine.Program{Path: "nft", Package: "nftables"},
		machine.Program{Path: "conntrack", Package: "conntrack"},
		machine.Program{Path: "ip", Package: "iproute2"},
	)
}

// Cluster is a control plane with one real node.
type Cluster struct {
	*controlplane.ControlPlane
	Client kubernetes.Interface
	// Admin is the path of an administrator's kubeconfig.
	Admin string

	programs string // folder of the built ones
	folder   string // of the run
	kubelet  *controlplane.Program
}

// startCluster starts everything in the namespaces that this process is in. Nothing of
// it need be stopped: it ends with them.
func startCluster(ctx context.Context, programs, folder string, out io.Writer) (*Cluster, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("the node did not get ready within %s", readyTimeout))
	defer cancel()
	fmt.Fprintln(out, "Starting the control plane.")
	control, err := controlplane.Start(ctx, controlplane.Options{Programs: programs, Address: isolate.Address})
	if err != nil {
		return nil, err
	}
	c := &Cluster{ControlPlane: control, programs: programs, folder: folder}
	fmt.Fprintln(out, "Starting a node: containerd, kubelet, kube-proxy. Logs are in", c.Dir())
	for _, step := range []func(context.Context) error{c.connect, c.configure, c.startRuntime, c.importImages, c.startKubelet, c.startProxy, c.podsMayCome} {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("start a node: %w", err)
		}
	}
	return c, nil
}

func (c *Cluster) connect(context.Context) (err error) {
	if c.Admin, err = c.Kubeconfig(c.ControlPlane.Admin()); err != nil {
		return err
	}
	c.Client, err = kubernetes.NewForConfig(c.ControlPlane.Admin())
	return err
}

func (c *Cluster) config(name string) string { return filepath.Join(c.folder, "config", name) }

// configure writes what the node's programs read.
func (c *Cluster) configure(context.Context) error {
	if err := os.MkdirAll(c.config("cni"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(c.config("resolv.conf"), nil, 0o644); err != nil {
		return err // Nobody answers names here.
	}
	proxy, err := c.kubeconfigOf("system:kube-proxy")
	if err != nil {
		return err
	}
	values := map[string]string{
		"Folder": c.folder, "Socket": socket, "Plugins": plugins, "Pause": pauseImage,
		"Authority": c.AuthorityPath(), "ProxyKubeconfig": proxy,
	}
	templates, err := template.ParseFS(configFiles, "config/*")
	if err != nil {
		return err
	}
	for name, path := range map[string]string{
		"containerd.toml": "containerd.toml", "kubelet.yaml": "kubelet.yaml",
		"kube-proxy.yaml": "kube-proxy.yaml", "pods.conflist": "cni/pods.conflist",
	} {
		file, err := os.Create(c.config(path))
		if err != nil {
			return err
		}
		err = templates.ExecuteTemplate(file, name, values)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) kubeconfigOf(user string, groups ...string) (string, error) {
	access, err := c.User(user, groups...)
	if err != nil {
		return "", err
	}
	return c.Kubeconfig(access)
}

func (c *Cluster) startRuntime(ctx context.Context) error {
	path, err := exec.LookPath("containerd")
	if err != nil {
		return err
	}
	if _, err := c.StartProgram(path, "--config", c.config("containerd.toml")); err != nil {
		return err
	}
	return c.WaitFor(ctx, func(ctx context.Context) error { return ctr(ctx, "version") })
}

func ctr(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "ctr", append([]string{"--address", socket, "--namespace", "k8s.io"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("ctr %v: %w: %s", args, err, out)
	}
	return nil
}

func (c *Cluster) importImages(ctx context.Context) error {
	archives, err := filepath.Glob(filepath.Join(c.folder, "images", "*.tar"))
	if err != nil {
		return err
	}
	for _, archive := range archives {
		if err := ctr(ctx, "images", "import", archive); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) startKubelet(context.Context) error {
	kubeconfig, err := c.kubeconfigOf("system:node:"+isolate.Hostname, "system:nodes")
	if err != nil {
		return err
	}
	c.kubelet, err = c.StartProgram(filepath.Join(c.programs, "kubelet"),
		"--kubeconfig="+kubeconfig, "--config="+c.config("kubelet.yaml"),
		"--hostname-override="+isolate.Hostname, "--node-ip="+isolate.Address,
		"--root-dir="+filepath.Join(c.folder, "kubelet"), "--cert-dir="+filepath.Join(c.folder, "kubelet", "pki"), "-v=2")
	return err
}

func (c *Cluster) startProxy(context.Context) error {
	_, err := c.StartProgram(filepath.Join(c.programs, "kube-proxy"), "--config="+c.config("kube-proxy.yaml"), "--hostname-override="+isolate.Hostname)
	return err
}

func (c *Cluster) podsMayCome(ctx context.Context) error {
	return c.WaitFor(ctx, func(ctx context.Context) error {
		node, err := c.Client.CoreV1().Nodes().Get(ctx, isolate.Hostname, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := nodeReady(node); err != nil {
			return err
		}
		_, err = c.Client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

func nodeReady(node *corev1.Node) error {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue && len(node.Spec.Taints) == 0 {
			return nil
		}
	}
	return fmt.Errorf("node %s is not ready: %v, %v", node.Name, node.Status.Conditions, node.Spec.Taints)
}

// tellLogs prints the end of each program's log: the files go with the run.
func (c *Cluster) tellLogs(out io.Writer) {
	const lines = 40
	logs, err := filepath.Glob(filepath.Join(c.Dir(), "*.log"))
	if err != nil {
		return // Only of a bad pattern.
	}
	for _, path := range logs {
		if filepath.Base(path) == "audit.log" {
			continue // Long lines, and what they tell is in the tests' own words.
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		all := strings.Split(strings.TrimSpace(string(text)), "\n")
		fmt.Fprintf(out, "--- %s ends with:\n%s\n", filepath.Base(path), strings.Join(all[max(0, len(all)-lines):], "\n"))
	}
}
