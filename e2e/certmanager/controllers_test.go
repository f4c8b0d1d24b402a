package certmanager

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// programDir is a module of its own, so that cert-manager has the versions of
// Kubernetes' libraries that it was made with.
const programDir = "program"

// certManager is cert-manager and its cainjector, running as one program.
type certManager struct {
	process *exec.Cmd
	stdin   io.Closer
	log     *os.File
}

// installCRDs applies the CRDs that cert-manager's module holds.
func (c *cluster) installCRDs() {
	c.T.Helper()
	list := exec.CommandContext(c.T.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/cert-manager/cert-manager")
	list.Dir, list.Env = programDir, append(os.Environ(), "GOWORK=off")
	dir, err := list.Output()
	if err != nil {
		c.T.Fatal("find cert-manager's module: ", err)
	}
	c.Admin("", "apply", "--server-side", "-f", filepath.Join(strings.TrimSpace(string(dir)), "deploy", "crds"))
	c.Admin("", "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
}

// startCertManager starts the program. features are those that differ from the
// defaults, such as CAInjectorMerging=false.
func startCertManager(binary, kubeconfig string, features ...string) (*certManager, error) {
	log, err := os.Create(binary + ".log")
	if err != nil {
		return nil, err
	}
	process := exec.Command(binary, append([]string{kubeconfig}, features...)...)
	process.Stdout, process.Stderr = log, log
	stdin, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	return &certManager{process, stdin, log}, process.Start()
}

// stop ends it and, when that was not well, returns what it said.
func (c *certManager) stop() error {
	err := errors.Join(c.stdin.Close(), c.process.Wait())
	if err != nil {
		err = fmt.Errorf("cert-manager: %w; its log ends with:\n%s", err, c.said())
	}
	return errors.Join(err, c.log.Close())
}

// said returns the end of its log.
func (c *certManager) said() string {
	said, err := os.ReadFile(c.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(said[max(0, len(said)-4000):])
}
