package manifests

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

// TestPermissionsEndAtWorkloadsAndSecrets: whoever holds Probity's token can change
// no workload, evict nothing, and read one Secret, by its name.
func TestPermissionsEndAtWorkloadsAndSecrets(t *testing.T) {
	reading := []string{"get", "list", "watch"}
	mayWrite := []string{
		"poddisruptionbudgets", "events", "leases", "secrets", "reports", "policyreports", "subjectaccessreviews",
		"validatingwebhookconfigurations", "mutatingwebhookconfigurations",
	}
	seen := 0
	for _, object := range objects(t) {
		var rules []rbacv1.PolicyRule
		switch o := object.(type) {
		case *rbacv1.ClusterRole:
			rules = o.Rules
		case *rbacv1.Role:
			rules = o.Rules
		}
		for _, rule := range rules {
			seen++
			reads := !slices.ContainsFunc(rule.Verbs, func(verb string) bool { return !slices.Contains(reading, verb) })
			for _, resource := range rule.Resources {
				if !reads && !slices.Contains(mayWrite, resource) {
					t.Errorf("%s may be written: %v", resource, rule)
				}
				if resource == "secrets" && len(rule.ResourceNames) != 1 && !slices.Equal(rule.Verbs, []string{"create"}) {
					t.Errorf("more than one Secret may be read: %v", rule)
				}
				if resource == "configmaps" || resource == "pods/exec" || resource == "pods/eviction" || resource == "serviceaccounts/token" {
					t.Errorf("%s is in a rule: %v", resource, rule)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("the manifests hold no permission")
	}
}
