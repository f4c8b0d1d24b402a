package manifests

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

// permissions are the rules of all roles in base.
func permissions(t *testing.T) (rules []rbacv1.PolicyRule) {
	t.Helper()
	for _, object := range objects(t) {
		switch o := object.(type) {
		case *rbacv1.ClusterRole:
			rules = append(rules, o.Rules...)
		case *rbacv1.Role:
			rules = append(rules, o.Rules...)
		}
	}
	if len(rules) == 0 {
		t.Fatal("the manifests hold no permission")
	}
	return rules
}

// TestPermissionsEndAtWorkloadsAndSecrets: whoever holds Probity's token can change
// no workload, evict nothing, and read one Secret, by its name.
func TestPermissionsEndAtWorkloadsAndSecrets(t *testing.T) {
	reading := []string{"get", "list", "watch"}
	mayWrite := []string{
		"poddisruptionbudgets", "events", "leases", "secrets", "reports", "policyreports", "subjectaccessreviews",
		"validatingwebhookconfigurations", "mutatingwebhookconfigurations",
	}
	for _, rule := range permissions(t) {
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
