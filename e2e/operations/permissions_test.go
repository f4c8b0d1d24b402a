package operations

import (
	"errors"
	"fmt"

	"github.com/probity-dev/probity/e2e/controlplane"
)

// nothingForbidden fails when RBAC has refused Probity anything, after all that the
// tests of this package made it do. It runs with the permissions of the manifests.
func nothingForbidden() error {
	events, err := local.AuditEvents()
	if err != nil {
		return err
	}
	account, _ := controlplane.ServiceAccount("probity-system", "probity")
	var errs []error
	own := 0
	seen := map[string]bool{}
	for _, e := range events {
		if e.User.Username != account {
			continue
		}
		own++
		if e.Annotations["authorization.k8s.io/decision"] != "forbid" {
			continue
		}
		denied := e.Verb + " " + e.RequestURI
		if !seen[denied] {
			errs = append(errs, fmt.Errorf("Probity may not %s: %s", denied, e.Annotations["authorization.k8s.io/reason"]))
		}
		seen[denied] = true
	}
	if own == 0 {
		errs = append(errs, fmt.Errorf("the audit log has no request of %s", account))
	}
	return errors.Join(errs...)
}
