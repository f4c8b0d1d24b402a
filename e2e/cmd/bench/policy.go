package main

import (
	"context"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

const (
	policyName = "bench"
	containers = "object.spec.template.spec.containers"
)

// policyRules are the nearest that CEL comes to five of Probity's rules.
func policyRules() []admissionregistrationv1.Validation {
	rules := []struct{ expression, message string }{
		{
			containers + ".all(c, !has(c.livenessProbe) || !has(c.livenessProbe.httpGet) || !c.livenessProbe.httpGet.path.matches('(?i)(^|[/_-])(db|database|redis|kafka|deps?|dependencies|all)([/_-]|$)'))",
			"a liveness probe asks a dependency",
		},
		{
			containers + ".all(c, !has(c.livenessProbe) || !has(c.livenessProbe.exec) || !c.livenessProbe.exec.command.exists(w, w.matches('pg_isready|psql|mysqladmin|redis-cli|mongosh?|curl|wget|nc ')))",
			"a liveness probe runs a client of a dependency",
		},
		{
			containers + ".all(c, !has(c.livenessProbe) || !has(c.readinessProbe) || c.livenessProbe.failureThreshold * c.livenessProbe.periodSeconds > c.readinessProbe.failureThreshold * c.readinessProbe.periodSeconds)",
			"liveness is not slower than readiness",
		},
		{
			containers + ".all(c, !has(c.livenessProbe) || c.livenessProbe.timeoutSeconds < c.livenessProbe.periodSeconds)",
			"a probe's timeout reaches its period",
		},
		{
			containers + ".all(c, !has(c.startupProbe) || c.startupProbe.failureThreshold * c.startupProbe.periodSeconds <= 1800)",
			"a startup probe waits for more than half an hour",
		},
	}
	validations := make([]admissionregistrationv1.Validation, len(rules))
	for i, r := range rules {
		validations[i] = admissionregistrationv1.Validation{Expression: r.expression, Message: r.message}
	}
	return validations
}

// createPolicy creates the policy for the namespaces with its label.
func createPolicy(ctx context.Context, client kubernetes.Interface) error {
	fail := admissionregistrationv1.Fail
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: policyName},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{policyLabel: "yes"}},
				ResourceRules:     resourceRules(),
			},
			Validations: policyRules(),
		},
	}
	if _, err := client.AdmissionregistrationV1().ValidatingAdmissionPolicies().Create(ctx, policy, metav1.CreateOptions{}); err != nil {
		return err
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: policyName},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: policyName, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}
	_, err := client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Create(ctx, binding, metav1.CreateOptions{})
	return err
}

func resourceRules() []admissionregistrationv1.NamedRuleWithOperations {
	var named []admissionregistrationv1.NamedRuleWithOperations
	for _, rule := range deployments() {
		named = append(named, admissionregistrationv1.NamedRuleWithOperations{RuleWithOperations: rule})
	}
	return named
}

// faultyPath is a liveness probe's that everybody who is asked refuses.
const faultyPath = "/health/db"

// waitUntilRefused waits until a faulty Deployment is refused in the lane: the API
// server follows a new policy or namespace label a moment later, and before that the
// lane would be measured without it.
func (b *bench) waitUntilRefused(ctx context.Context, l *lane) error {
	faulty := l.deployment.DeepCopy()
	faulty.Spec.Template.Spec.Containers[0].LivenessProbe.HTTPGet.Path = faultyPath
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := b.clients[0].AppsV1().Deployments(faulty.Namespace).Create(ctx, faulty, dryRun())
		if err == nil {
			return false, nil
		}
		if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
			return true, nil
		}
		return false, err
	})
}
