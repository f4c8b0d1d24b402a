// Package chart tests the Helm chart and the overlays: that both install the same
// objects, and that the chart can be installed, upgraded, rolled back and removed.
package chart

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	action3 "helm.sh/helm/v3/pkg/action"
	loader3 "helm.sh/helm/v3/pkg/chart/loader"
	chartutil3 "helm.sh/helm/v3/pkg/chartutil"
	action4 "helm.sh/helm/v4/pkg/action"
	common4 "helm.sh/helm/v4/pkg/chart/common"
	loader4 "helm.sh/helm/v4/pkg/chart/loader"
	release4 "helm.sh/helm/v4/pkg/release/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const (
	manifests = "../../manifests"
	chartPath = manifests + "/chart"
	namespace = "probity-system"
)

// rendered is what Helm would apply, and tell.
type rendered struct {
	objects objects
	hooks   objects
	notes   string
}

// objects are by kind and name.
type objects map[string]map[string]any

// helms are both versions of Helm that the chart is for.
var helms = map[string]func(chart string, values map[string]any, namespace string) (*rendered, error){
	"Helm 4": helm4,
	"Helm 3": helm3,
}

func helm4(path string, values map[string]any, namespace string) (*rendered, error) {
	chart, err := loader4.Load(path)
	if err != nil {
		return nil, err
	}
	install := action4.NewInstall(action4.NewConfiguration(action4.ConfigurationSetLogger(slog.DiscardHandler)))
	install.DryRunStrategy = action4.DryRunClient
	install.ReleaseName, install.Namespace = "probity", namespace
	install.KubeVersion = &common4.KubeVersion{Version: "v1.37.2", Major: "1", Minor: "37"}
	result, err := install.Run(chart, values)
	if err != nil {
		return nil, err
	}
	release, ok := result.(*release4.Release)
	if !ok {
		return nil, fmt.Errorf("a %T is no release", result)
	}
	var hooks strings.Builder
	for _, h := range release.Hooks {
		hooks.WriteString("---\n" + h.Manifest + "\n")
	}
	return read(release.Manifest, hooks.String(), release.Info.Notes)
}

func helm3(path string, values map[string]any, namespace string) (*rendered, error) {
	chart, err := loader3.Load(path)
	if err != nil {
		return nil, err
	}
	install := action3.NewInstall(&action3.Configuration{Log: func(string, ...any) {}})
	install.DryRun, install.ClientOnly = true, true
	install.ReleaseName, install.Namespace = "probity", namespace
	install.KubeVersion = &chartutil3.KubeVersion{Version: "v1.37.2", Major: "1", Minor: "37"}
	release, err := install.Run(chart, values)
	if err != nil {
		return nil, err
	}
	var hooks strings.Builder
	for _, h := range release.Hooks {
		hooks.WriteString("---\n" + h.Manifest + "\n")
	}
	return read(release.Manifest, hooks.String(), release.Info.Notes)
}

func read(manifest, hooks, notes string) (*rendered, error) {
	r := &rendered{notes: notes}
	var err error
	if r.objects, err = parse([]byte(manifest)); err != nil {
		return nil, err
	}
	r.hooks, err = parse([]byte(hooks))
	return r, err
}

// parse reads objects as they are; two of a name are an error.
func parse(text []byte) (objects, error) {
	all := objects{}
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		o := &unstructured.Unstructured{}
		err := decoder.Decode(o)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if o.Object == nil {
			continue // an empty document
		}
		name := o.GetKind() + " " + o.GetName()
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("two objects are %s", name)
		}
		all[name] = o.Object
	}
}

// kustomize renders a kustomization that stands in manifests/, as text.
func kustomize(t *testing.T, kustomization string) []byte {
	t.Helper()
	root, err := filepath.Abs(manifests)
	if err != nil {
		t.Fatal(err)
	}
	// Under manifests/, in memory over the real folder: paths are those of a user's
	// overlay, and nothing is written into the tree.
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "of-the-test")
	if err := os.Mkdir(overlay, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(overlay, "kustomization.yaml"), []byte(kustomization), 0o600); err != nil {
		t.Fatal(err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), overlay)
	if err != nil {
		t.Fatal(err)
	}
	text, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// values reads those of a test.
func values(t *testing.T, text string) map[string]any {
	t.Helper()
	all := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	return all
}
