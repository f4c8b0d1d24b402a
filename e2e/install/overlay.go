package install

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// WriteOverlay writes a kustomization into a folder, by which `kubectl apply -k`
// installs again what is installed here: without the Deployment, of which nothing
// would run, and with webhooks that call the program.
func (p *Probity) WriteOverlay(ctx context.Context, dir string) error {
	rendered, err := p.render(ctx)
	if err != nil {
		return err
	}
	objects, _, err := p.adapt(rendered)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("make the folder of the overlay: %w", err)
	}
	for name, text := range map[string]string{
		"probity.yaml":       objects,
		"kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n  - probity.yaml\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("write the overlay: %w", err)
		}
	}
	return nil
}
