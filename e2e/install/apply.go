package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// apply renders the kustomization and applies all of it but the Deployment, which
// it returns.
func (p *Probity) apply(ctx context.Context) (*appsv1.Deployment, error) {
	admin, err := p.cluster.Kubeconfig(p.cluster.Admin())
	if err != nil {
		return nil, err
	}
	rendered, err := p.render(ctx)
	if err != nil {
		return nil, err
	}
	objects, deployment, err := p.adapt(rendered)
	if err != nil {
		return nil, err
	}
	// As a person does it: the Namespace comes first, and what is in it after.
	_, stderr, err := p.cluster.Kubectl(ctx, admin, objects, "apply", "--server-side", "--field-manager=install", "-f", "-")
	if err != nil {
		return nil, fmt.Errorf("kubectl apply: %w: %s", err, stderr)
	}
	return deployment, nil
}

// render renders the kustomization.
func (p *Probity) render(ctx context.Context) ([]byte, error) {
	admin, err := p.cluster.Kubeconfig(p.cluster.Admin())
	if err != nil {
		return nil, err
	}
	rendered, stderr, err := p.cluster.Kubectl(ctx, admin, "", "kustomize", p.options.Manifests)
	if err != nil {
		return nil, fmt.Errorf("kubectl kustomize %s: %w: %s", p.options.Manifests, err, stderr)
	}
	return []byte(rendered), nil
}

// adapt takes the Deployment out of the rendered manifests and points the
// webhooks at this machine.
func (p *Probity) adapt(rendered []byte) (objects string, deployment *appsv1.Deployment, err error) {
	var out bytes.Buffer
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(rendered), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", nil, fmt.Errorf("read rendered manifests: %w", err)
		}
		switch object.GetKind() {
		case "Deployment":
			deployment = &appsv1.Deployment{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, deployment); err != nil {
				return "", nil, err
			}
			continue
		case "ConfigMap":
			if err := p.keep(object); err != nil {
				return "", nil, err
			}
		case "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration":
			if err := p.pointHere(object); err != nil {
				return "", nil, err
			}
		}
		text, err := sigsyaml.Marshal(object.Object)
		if err != nil {
			return "", nil, err
		}
		out.WriteString("---\n")
		out.Write(text)
	}
	if deployment == nil {
		return "", nil, errors.New("the manifests hold no Deployment")
	}
	return out.String(), deployment, nil
}

// Reread takes what the cluster says of the Deployment and the configuration now.
// The program has it from its next start on.
func (p *Probity) Reread(ctx context.Context) error {
	admin, err := p.cluster.Kubeconfig(p.cluster.Admin())
	if err != nil {
		return err
	}
	text, stderr, err := p.cluster.Kubectl(ctx, admin, "", "get", "deployment/probity", "configmap/probity",
		"-n", "probity-system", "-o", "json")
	if err != nil {
		return fmt.Errorf("kubectl get: %w: %s", err, stderr)
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return err
	}
	var objects bytes.Buffer
	for _, item := range list.Items {
		objects.Write(item)
		objects.WriteString("\n")
	}
	_, deployment, err := p.adapt(objects.Bytes())
	if err != nil {
		return err
	}
	return p.readDeployment(deployment)
}

// pointHere replaces the Service of each webhook by the URL of the program.
func (p *Probity) pointHere(configuration *unstructured.Unstructured) error {
	webhooks, _, err := unstructured.NestedSlice(configuration.Object, "webhooks")
	if err != nil {
		return err
	}
	for _, w := range webhooks {
		webhook, ok := w.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: a webhook is no object", configuration.GetName())
		}
		path, _, err := unstructured.NestedString(webhook, "clientConfig", "service", "path")
		if err != nil || path == "" {
			return errors.Join(fmt.Errorf("%s: a webhook names no path of a Service", configuration.GetName()), err)
		}
		webhook["clientConfig"] = map[string]any{"url": p.url() + path}
	}
	return unstructured.SetNestedSlice(configuration.Object, webhooks, "webhooks")
}
