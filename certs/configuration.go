package certs

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fieldManager owns the caBundle fields that this package writes.
const fieldManager = "probity-certs"

// configuration is a ValidatingWebhookConfiguration or a MutatingWebhookConfiguration.
type configuration struct {
	client.Object
	kind string
}

// webhook is one entry of a configuration.
type webhook struct {
	name   string
	client *admissionregistrationv1.WebhookClientConfig
}

func (c configuration) String() string { return c.kind + " " + c.GetName() }

func (c configuration) webhooks() []webhook {
	var all []webhook
	switch o := c.Object.(type) {
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		for i := range o.Webhooks {
			all = append(all, webhook{o.Webhooks[i].Name, &o.Webhooks[i].ClientConfig})
		}
	case *admissionregistrationv1.MutatingWebhookConfiguration:
		for i := range o.Webhooks {
			all = append(all, webhook{o.Webhooks[i].Name, &o.Webhooks[i].ClientConfig})
		}
	}
	return all
}

// named returns empty configurations with these names; an empty name gives none.
func named(validating, mutating string) []configuration {
	var all []configuration
	if validating != "" {
		o := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		o.Name = validating
		all = append(all, configuration{o, "ValidatingWebhookConfiguration"})
	}
	if mutating != "" {
		o := &admissionregistrationv1.MutatingWebhookConfiguration{}
		o.Name = mutating
		all = append(all, configuration{o, "MutatingWebhookConfiguration"})
	}
	return all
}

// existing fills in the configurations and leaves out those that do not exist.
// That is no fault: nobody is called through one, and a person may want only one.
func existing(ctx context.Context, reader client.Reader, all []configuration) ([]configuration, error) {
	var found []configuration
	for _, c := range all {
		err := reader.Get(ctx, client.ObjectKeyFromObject(c), c.Object)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", c, err)
		}
		found = append(found, c)
	}
	return found, nil
}

// ours reports whether an entry calls this installation: its Service, or a URL,
// which is how one runs Probity outside of the cluster.
func (w webhook) ours(service types.NamespacedName) bool {
	s := w.client.Service
	return s == nil || s.Namespace == service.Namespace && s.Name == service.Name
}

// operation is one step of a JSON Patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// injection returns the patch that gives our entries the bundle, empty when
// all have it. Everything else of the configuration stays as it is.
func (c configuration) injection(service types.NamespacedName, bundle []byte) []operation {
	var patch []operation
	for i, w := range c.webhooks() {
		if !w.ours(service) || bytes.Equal(w.client.CABundle, bundle) {
			continue
		}
		path := fmt.Sprintf("/webhooks/%d", i)
		patch = append(patch,
			// The index may name another entry by the time the patch arrives.
			operation{Op: "test", Path: path + "/name", Value: w.name},
			operation{Op: "add", Path: path + "/clientConfig/caBundle", Value: bundle},
		)
	}
	return patch
}

// inject applies the patch; c then holds what the API server stored.
func (c configuration) inject(ctx context.Context, writer client.Writer, patch []operation) error {
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	err = writer.Patch(ctx, c.Object, client.RawPatch(types.JSONPatchType, text), client.FieldOwner(fieldManager))
	if apierrors.IsNotFound(err) {
		return nil // It went away: nothing is left to trust us.
	}
	if err != nil {
		return fmt.Errorf("write caBundle of %s: %w", c, err)
	}
	return nil
}

// trusts says why an API server that reads these configurations would refuse
// the certificate.
func trusts(all []configuration, service types.NamespacedName, certificate *tls.Certificate, now time.Time) error {
	var faults []error
	for _, c := range all {
		for _, w := range c.webhooks() {
			if !w.ours(service) {
				continue
			}
			if err := accepted(certificate, now, parseAuthorities(w.client.CABundle)...); err != nil {
				faults = append(faults, fmt.Errorf("%s: caBundle of %s does not trust it yet", c, w.name))
			}
		}
	}
	return errors.Join(faults...)
}

// injected returns every authority that the configurations trust.
func injected(all []configuration, service types.NamespacedName) []*x509.Certificate {
	var found []*x509.Certificate
	for _, c := range all {
		for _, w := range c.webhooks() {
			if w.ours(service) {
				found = append(found, parseAuthorities(w.client.CABundle)...)
			}
		}
	}
	return found
}
