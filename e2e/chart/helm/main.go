// Command helm installs, upgrades, rolls back and uninstalls the chart with Helm's
// library, of version 4 or 3. A cluster without nodes routes no Service, so with
// -url the webhooks are pointed there by a post-renderer.
//
// The end-to-end tests run it as a program: Helm needs other versions of libraries
// than the control plane that they build.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/yaml"
)

const releaseName = "probity"

// helm is one version of Helm.
type helm interface {
	install(chart string, values map[string]any) error
	upgrade(chart string, values map[string]any) error
	rollback(revision int) error
	uninstall() error
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "helm:", err)
		os.Exit(1)
	}
}

func run() error {
	version := flag.Int("version", 4, "of Helm: 4 or 3")
	kubeconfig := flag.String("kubeconfig", "", "of an administrator")
	namespace := flag.String("namespace", "", "of the release")
	url := flag.String("url", "", "what the webhooks call in place of their Service")
	text := flag.String("values", "{}", "as JSON")
	flag.Parse()

	values := map[string]any{}
	if err := json.Unmarshal([]byte(*text), &values); err != nil {
		return fmt.Errorf("-values: %w", err)
	}
	getter := genericclioptions.NewConfigFlags(true)
	getter.KubeConfig, getter.Namespace = kubeconfig, namespace
	h, err := newHelm(*version, getter, *namespace, renderer{*url})
	if err != nil {
		return err
	}
	switch args := flag.Args(); {
	case len(args) == 2 && args[0] == "install":
		return h.install(args[1], values)
	case len(args) == 2 && args[0] == "upgrade":
		return h.upgrade(args[1], values)
	case len(args) == 2 && args[0] == "rollback":
		revision, err := strconv.Atoi(args[1])
		return errors.Join(err, h.rollback(revision))
	case len(args) == 1 && args[0] == "uninstall":
		return h.uninstall()
	}
	return errors.New("want install CHART, upgrade CHART, rollback REVISION or uninstall")
}

func newHelm(version int, getter *genericclioptions.ConfigFlags, namespace string, r renderer) (helm, error) {
	switch version {
	case 3:
		return newHelm3(getter, namespace, r)
	case 4:
		return newHelm4(getter, namespace, r)
	}
	return nil, fmt.Errorf("-version is %d: must be 4 or 3", version)
}

// renderer is a post-renderer of both versions.
type renderer struct{ url string }

// Run points the webhooks of all configurations to the URL.
func (r renderer) Run(in *bytes.Buffer) (*bytes.Buffer, error) {
	if r.url == "" {
		return in, nil
	}
	out := &bytes.Buffer{}
	decoder := utilyaml.NewYAMLOrJSONDecoder(in, 4096)
	for {
		o := &unstructured.Unstructured{}
		err := decoder.Decode(o)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if o.Object == nil {
			continue // an empty document
		}
		if err := r.point(o); err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
		}
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			return nil, err
		}
		out.WriteString("---\n")
		out.Write(text)
	}
}

func (r renderer) point(o *unstructured.Unstructured) error {
	webhooks, found, err := unstructured.NestedSlice(o.Object, "webhooks")
	if err != nil || !found {
		return err
	}
	for _, w := range webhooks {
		webhook, ok := w.(map[string]any)
		if !ok {
			return errors.New("a webhook is no object")
		}
		path, _, err := unstructured.NestedString(webhook, "clientConfig", "service", "path")
		if err != nil {
			return err
		}
		webhook["clientConfig"] = map[string]any{"url": r.url + path}
		webhook["timeoutSeconds"] = int64(20) // a machine busy with tests is no failed call
	}
	return unstructured.SetNestedSlice(o.Object, webhooks, "webhooks")
}
