package main

import (
	"context"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// bareName is that of the configurations of the bare handlers' webhooks.
const bareName = "bench-bare"

// createWebhooks has the API server call the bare handlers.
func (b *bench) createWebhooks(ctx context.Context) error {
	// As Probity's are, but without conditions, which cost the API server something, too.
	fail, none, twoSeconds := admissionregistrationv1.Fail, admissionregistrationv1.SideEffectClassNone, int32(2)
	reinvoke := admissionregistrationv1.IfNeededReinvocationPolicy
	both := &metav1.LabelSelector{MatchLabels: map[string]string{bareLabel: "both"}}
	either := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: bareLabel, Operator: metav1.LabelSelectorOpExists}}}
	configurations := b.clients[0].AdmissionregistrationV1()
	_, err := configurations.MutatingWebhookConfigurations().Create(ctx, &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: bareName},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "mutate.bench.probity.dev", ClientConfig: b.bare.at("/mutate"), NamespaceSelector: both, Rules: deployments(),
			FailurePolicy: &fail, SideEffects: &none, TimeoutSeconds: &twoSeconds, AdmissionReviewVersions: []string{"v1"}, ReinvocationPolicy: &reinvoke,
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = configurations.ValidatingWebhookConfigurations().Create(ctx, &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: bareName},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "validate.bench.probity.dev", ClientConfig: b.bare.at("/validate"), NamespaceSelector: either, Rules: deployments(),
			FailurePolicy: &fail, SideEffects: &none, TimeoutSeconds: &twoSeconds, AdmissionReviewVersions: []string{"v1"},
		}},
	}, metav1.CreateOptions{})
	return err
}

func (b *bare) at(path string) admissionregistrationv1.WebhookClientConfig {
	url := b.URL + path
	return admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: b.CA}
}

// deployments are what policy and webhooks are asked about.
func deployments() []admissionregistrationv1.RuleWithOperations {
	return []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
	}}
}
