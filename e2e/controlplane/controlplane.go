package controlplane

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// startTimeout bounds Start. It takes a few seconds on two idle cores.
const startTimeout = 2 * time.Minute

//go:embed audit-policy.yaml
var auditPolicy []byte

// Options say what control plane to start.
type Options struct {
	// Programs is the folder that Build returned.
	Programs string
	// Nodes is how many nodes kwok plays. Zero means one.
	Nodes int
	// Address is where real kubelets and pods reach the API server. The caller starts
	// them, see StartProgram; kwok then plays no nodes. Empty means that there are none.
	Address string
}

// ControlPlane is a running control plane. Its methods may be called from many
// goroutines, except that nothing may follow Stop.
type ControlPlane struct {
	programs  string
	address   string // where real nodes reach the API server, if there are any
	folder    *folder
	port      *reservedPort
	authority *authority
	admin     *rest.Config
	client    kubernetes.Interface
	died      chan error // of programs that ended by themselves

	mu        sync.Mutex // guards what follows
	stopped   bool
	etcd      *process
	apiServer *process
	clients   []*process // of the API server: controllers, scheduler, nodes
}

// Start starts a control plane and waits until a pod would be scheduled and
// run. Data and logs are in one temporary folder. When it fails everything that
// it started is stopped. The context bounds the start only; call Stop to stop.
func Start(ctx context.Context, options Options) (*ControlPlane, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("the control plane did not start within %s", startTimeout))
	defer cancel()

	c := &ControlPlane{programs: options.Programs, address: options.Address, died: make(chan error, 1)}
	if err := c.start(ctx, max(options.Nodes, 1)); err != nil {
		return nil, errors.Join(fmt.Errorf("start the control plane: %w", err), c.Stop())
	}
	return c, nil
}

func (c *ControlPlane) start(ctx context.Context, nodes int) error {
	if err := c.prepare(); err != nil {
		return err
	}
	if err := c.startEtcd(); err != nil {
		return err
	}
	// It waits for etcd by itself, and loads in the meantime.
	if err := c.StartAPIServer(ctx); err != nil {
		return err
	}
	if err := c.startClients(); err != nil {
		return err
	}
	if c.address != "" {
		return nil // Their kubelets register them.
	}
	return c.startNodes(ctx, nodes)
}

// prepare writes what the programs read.
func (c *ControlPlane) prepare() error {
	var err error
	if c.folder, err = newFolder(); err != nil {
		return err
	}
	if c.port, err = reservePort(); err != nil {
		return err
	}
	if err := c.writeCertificates(); err != nil {
		return err
	}
	if err := c.writeFile(auditPolicyFile, auditPolicy); err != nil {
		return err
	}
	if err := c.writeFile(stagesFile, []byte(stages())); err != nil {
		return err
	}
	if c.admin, err = c.User("admin", "system:masters"); err != nil {
		return err
	}
	c.client, err = kubernetes.NewForConfig(c.admin)
	return err
}

func (c *ControlPlane) writeCertificates() error {
	var err error
	if c.authority, err = newAuthority(); err != nil {
		return err
	}
	if err := c.writeFile(clientCAFile, c.authority.cert); err != nil {
		return err
	}
	serving, err := c.authority.server(c.address)
	if err != nil {
		return err
	}
	if err := serving.write(c.folder.path, servingName); err != nil {
		return err
	}
	// Any pair signs service account tokens; of this one only the key is used.
	accounts, err := c.authority.server("")
	if err != nil {
		return err
	}
	if err := c.writeFile(accountKeyFile, accounts.key); err != nil {
		return err
	}
	kubelets, err := c.authority.client("kube-apiserver-kubelet-client", []string{"system:masters"})
	if err != nil {
		return err
	}
	return kubelets.write(c.folder.path, kubeletClientName)
}

// writeFile writes a file of the control plane's folder, whole or not at all:
// a kubeconfig may be written again while it is read.
func (c *ControlPlane) writeFile(name string, content []byte) error {
	file, err := os.CreateTemp(c.folder.path, name+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), filepath.Join(c.folder.path, name))
}

func (c *ControlPlane) startEtcd() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	c.etcd, err = c.run(c.program("etcd"), etcdArgs())
	return err
}

// run starts a program and notices when it ends by itself. The caller holds the mutex.
func (c *ControlPlane) run(path string, args []string) (*process, error) {
	p, err := startProcess(c.folder.path, path, args)
	if err != nil {
		return nil, err
	}
	go func() {
		<-p.exited
		if p.stopping.Load() {
			return
		}
		select {
		case c.died <- p.endError():
		default: // Nobody needs more than one reason.
		}
	}()
	return p, nil
}

// StartAPIServer starts the API server, after StopAPIServer with the same
// address and data, and waits until it serves. A running one is left alone. Further
// arguments go behind those that it has anyway, for this start only.
func (c *ControlPlane) StartAPIServer(ctx context.Context, further ...string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.apiServer != nil {
		return nil
	}
	p, err := c.run(c.program("kube-apiserver"), append(apiServerArgs(c.port.number, c.address), further...))
	if err != nil {
		return err
	}
	c.apiServer = p
	if err := p.waitReady(ctx, c.apiServerReady); err != nil {
		return errors.Join(err, c.stopAPIServer())
	}
	return nil
}

func (c *ControlPlane) apiServerReady(ctx context.Context) error {
	return c.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

// StopAPIServer stops only the API server. The controllers, the scheduler and
// the nodes keep trying to reach it.
func (c *ControlPlane) StopAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopAPIServer()
}

func (c *ControlPlane) stopAPIServer() error {
	if c.apiServer == nil {
		return nil
	}
	err := c.apiServer.stop()
	c.apiServer = nil
	return err
}

// PauseEtcd makes etcd stand still, as on a disk that does not answer: connections
// stay, and nothing on them is answered. Stop works all the same.
func (c *ControlPlane) PauseEtcd() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.etcd.signal(syscall.SIGSTOP)
}

// ResumeEtcd lets etcd go on after PauseEtcd.
func (c *ControlPlane) ResumeEtcd() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.etcd.signal(syscall.SIGCONT)
}

// startClients starts what works through the API server.
func (c *ControlPlane) startClients() error {
	type client struct {
		name, user string
		groups     []string
		args       func(kubeconfig string) []string
	}
	clients := []client{
		{name: "kube-controller-manager", user: "system:kube-controller-manager", args: controllerManagerArgs},
		{name: "kube-scheduler", user: "system:kube-scheduler", args: schedulerArgs},
	}
	if c.address == "" {
		clients = append(clients, client{name: "kwok", user: "kwok", groups: []string{"system:masters"}, args: kwokArgs})
	}
	for _, program := range clients {
		user, err := c.User(program.user, program.groups...)
		if err != nil {
			return err
		}
		kubeconfig, err := c.Kubeconfig(user)
		if err != nil {
			return err
		}
		if _, err := c.StartProgram(c.program(program.name), program.args(kubeconfig)...); err != nil {
			return err
		}
	}
	return nil
}

// Dir returns the folder with the data and the logs, one NAME.log for each
// program. Stop removes it.
func (c *ControlPlane) Dir() string { return c.folder.path }

// Wait returns nil when the context ends, or an error as soon as one of the
// programs ends by itself.
func (c *ControlPlane) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-c.died:
		return err
	}
}

// Stop stops every program, those that use the API server first, then removes
// the data and the logs. A second call does nothing.
func (c *ControlPlane) Stop() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return nil
	}
	c.stopped = true

	var clients errgroup.Group
	for _, p := range c.clients {
		clients.Go(p.stop)
	}
	errs := []error{clients.Wait()}
	for _, p := range []*process{c.apiServer, c.etcd} {
		if p != nil {
			errs = append(errs, p.stop())
		}
	}
	if c.port != nil {
		c.port.release()
	}
	if c.folder != nil {
		errs = append(errs, c.folder.remove(nil))
	}
	return errors.Join(errs...)
}
