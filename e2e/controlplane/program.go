package controlplane

import "path/filepath"

// Program is a running program that works with the API server, such as a real
// node's kubelet.
type Program struct{ process *process }

// StartProgram runs a program in the control plane's folder, where its output goes
// into NAME.log. Stop stops it, before the API server; when it ends before, Wait
// tells so.
func (c *ControlPlane) StartProgram(path string, args ...string) (*Program, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, err := c.run(path, args)
	if err != nil {
		return nil, err
	}
	c.clients = append(c.clients, p)
	return &Program{p}, nil
}

// Kill ends the program with SIGKILL, and waits for its end.
func (p *Program) Kill() error { return p.process.stop() }

// AuthorityPath is the file with the certificate of the authority that signed those of
// all clients of the API server, and its own.
func (c *ControlPlane) AuthorityPath() string { return filepath.Join(c.folder.path, clientCAFile) }
