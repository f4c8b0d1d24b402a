// Package install puts Probity into a control plane of package controlplane: the
// objects of manifests/base through kubectl, and the program that the Deployment
// would run, with its arguments, its environment and its service account's
// permissions. Only two things differ from a cluster: no container runs, so the
// program is a child of this one; and the webhooks name its URL in place of the
// Service, whose addresses nothing here routes.
package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/metrics"
)

// readyTimeout bounds a start of Probity, on a machine that is busy.
const readyTimeout = time.Minute

// Options say what to install.
type Options struct {
	// Binary is the path of the program. Local.Install sets it.
	Binary string
	// Manifests is the path of the kustomization to apply.
	Manifests string
	// Args are put behind those of the Deployment.
	Args []string
	// Call is the host and port that webhooks call, of what stands before replicas;
	// "" has them call this one.
	Call string
	// Apply installs in place of kubectl, with webhooks that call below the URL. What
	// it installs is read from the cluster.
	Apply func(ctx context.Context, url string) error
}

// Probity is an installed Probity and its running program.
type Probity struct {
	cluster *controlplane.ControlPlane
	options Options
	args    []string
	env     []string
	configs map[string]map[string]string // data of the ConfigMaps, by their name
	port    int                          // of the webhooks
	health  int
	metrics int

	mu      sync.Mutex
	process *exec.Cmd
	done    chan struct{} // closed when process has ended
	log     *os.File
}

// Install applies the manifests and starts the program. It returns when Probity
// is ready. Call Stop in any case.
func Install(ctx context.Context, cluster *controlplane.ControlPlane, options Options) (*Probity, error) {
	p := &Probity{cluster: cluster, options: options}
	if err := p.choosePorts(); err != nil {
		return nil, err
	}
	if err := p.install(ctx); err != nil {
		return nil, err
	}
	if err := p.Start(ctx); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

func (p *Probity) install(ctx context.Context) error {
	if p.options.Apply == nil {
		deployment, err := p.apply(ctx)
		if err != nil {
			return err
		}
		return p.readDeployment(deployment)
	}
	if err := p.options.Apply(ctx, p.url()); err != nil {
		return err
	}
	return p.Reread(ctx)
}

// url is what the webhooks call, without their paths.
func (p *Probity) url() string { return "https://" + cmp.Or(p.options.Call, p.Addr()) }

// Addr is the host and port at which the program serves the webhooks.
func (p *Probity) Addr() string { return "127.0.0.1:" + strconv.Itoa(p.port) }

// choosePorts takes three ports that are free now.
func (p *Probity) choosePorts() error {
	for _, port := range []*int{&p.port, &p.health, &p.metrics} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return fmt.Errorf("find a free port: %w", err)
		}
		defer l.Close() // only when all three are known, so that they differ
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return nil
}

// readDeployment takes arguments and environment of the program from the
// Deployment's container.
func (p *Probity) readDeployment(d *appsv1.Deployment) error {
	container := d.Spec.Template.Spec.Containers[0]
	local := []string{
		"--addr=" + p.Addr(), "--cert-host=127.0.0.1",
		"--health-addr=127.0.0.1:" + strconv.Itoa(p.health), "--metrics-addr=127.0.0.1:" + strconv.Itoa(p.metrics),
	}
	p.args, p.env = slices.Concat(container.Args, local), nil
	for _, e := range container.Env {
		value := e.Value
		if e.ValueFrom != nil && e.ValueFrom.FieldRef != nil && e.ValueFrom.FieldRef.FieldPath == "metadata.namespace" {
			value = d.Namespace
		}
		p.env = append(p.env, e.Name+"="+value)
	}
	// The program may do what the manifests grant to its service account, and nothing else.
	user, groups := controlplane.ServiceAccount(d.Namespace, d.Spec.Template.Spec.ServiceAccountName)
	access, err := p.cluster.User(user, groups...)
	if err != nil {
		return err
	}
	kubeconfig, err := p.cluster.Kubeconfig(access)
	if err != nil {
		return err
	}
	p.args = append(p.args, "--kubeconfig="+kubeconfig)
	if err := p.mount(&d.Spec.Template.Spec); err != nil {
		return err
	}
	p.args = append(p.args, p.options.Args...) // last, so that they hold
	return nil
}

// Ready reports whether readiness passes.
func (p *Probity) Ready(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+strconv.Itoa(p.health)+"/readyz", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", response.Status)
	}
	return nil
}

// Metrics reads what the program shows of itself. It fails while the program does not
// run.
func (p *Probity) Metrics(ctx context.Context) (metrics.Families, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+strconv.Itoa(p.metrics)+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return metrics.Parse(response.Body)
}

// LogPath is the file with the program's log.
func (p *Probity) LogPath() string { return filepath.Join(p.cluster.Dir(), "probity.log") }

// tail returns the end of the log, for an error that it explains.
func (p *Probity) tail() string {
	data, err := os.ReadFile(p.LogPath())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}
