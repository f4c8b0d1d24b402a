package chart

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	action4 "helm.sh/helm/v4/pkg/action"
	"sigs.k8s.io/yaml"
)

func TestTheChartLints(t *testing.T) {
	for name, pair := range pairs {
		lint := action4.NewLint()
		lint.Strict, lint.Namespace = true, namespace
		result := lint.Run([]string{chartPath}, values(t, pair.values))
		for _, m := range result.Messages {
			// An icon is for catalogues, and there is none.
			if !strings.Contains(m.Err.Error(), "icon is recommended") {
				t.Errorf("%s: %v", name, m)
			}
		}
		for _, err := range result.Errors {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWrongValuesAreRefusedWithWhatIsLegal(t *testing.T) {
	for name, test := range map[string]struct{ values, want string }{
		"a typing error in a name": {"{replica: 3}", "additional properties 'replica' not allowed"},
		"an unknown scope":         {"{scope: all}", "value must be one of 'opt-in', 'cluster-wide'"},
		"no replicas":              {"{replicas: 0}", "minimum: got 0, want 1"},
		"a digest without its algorithm": {
			"{image: {digest: " + strings.Repeat("ab", 32) + "}}",
			"does not match pattern '^$|^sha256:[0-9a-f]{64}$'",
		},
		"a mistake in the configuration": {"{config: {defaults: {mode: enforced}}}", "value must be one of 'enforce', 'warn', 'audit', 'off'"},
		"cluster-wide without a mode": {
			"{scope: cluster-wide}",
			"scope is cluster-wide, and config.defaults.mode is not set, so no namespace would be judged: set it to audit, warn or enforce",
		},
		"names of clients without an authority": {
			"{clientCertificates: {names: [kube-apiserver]}}",
			"clientCertificates.names is set, and clientCertificates.configMap is not: names say something only in certificates of an authority that is trusted",
		},
		"a memory limit that no limit of Go follows from": {
			"{resources: {limits: {memory: 256M}}}",
			`resources.limits.memory is "256M": give it in whole Mi or Gi, such as 256Mi; the limit of Go's garbage collector follows from it`,
		},
	} {
		for version, helm := range helms {
			t.Run(name+"/"+version, func(t *testing.T) {
				_, err := helm(chartPath, values(t, test.values), namespace)
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v\nwant it to contain %s", err, test.want)
				}
			})
		}
	}
}

func TestNotesTellTheNextStep(t *testing.T) {
	for name, test := range map[string]struct{ values, namespace, want string }{
		"opt-in":                {"{}", namespace, "kubectl label namespace NAME probity.dev/mode=warn"},
		"cluster-wide":          {pairs["cluster-wide"].values, namespace, "in the mode warn."},
		"fail-closed":           {pairs["fail-closed"].values, namespace, "kubectl delete validatingwebhookconfiguration probity"},
		"cert-manager":          {pairs["cert-manager"].values, namespace, "kubectl -n probity-system describe certificate probity"},
		"in a shared namespace": {"{}", "default", "A namespace of its own is better"},
	} {
		for version, helm := range helms {
			t.Run(name+"/"+version, func(t *testing.T) {
				r, err := helm(chartPath, values(t, test.values), test.namespace)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(r.notes, test.want) {
					t.Errorf("the notes do not say %q:\n%s", test.want, r.notes)
				}
				if strings.Contains(r.notes, "\n\n\n") {
					t.Errorf("the notes have gaps:\n%s", r.notes)
				}
			})
		}
	}
}

// The version of the chart's image is said in the base; the chart says it again.
func TestTheChartHasTheImageOfTheBase(t *testing.T) {
	var base struct {
		Images []struct{ NewName, NewTag string }
	}
	var chart struct{ AppVersion, Version string }
	var defaults struct {
		Image struct{ Repository string }
	}
	for file, into := range map[string]any{
		manifests + "/base/kustomization.yaml": &base, chartPath + "/Chart.yaml": &chart, chartPath + "/values.yaml": &defaults,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	if image := base.Images[0]; image.NewName != defaults.Image.Repository || image.NewTag != chart.AppVersion || image.NewTag != "v"+chart.Version {
		t.Errorf("the base has image %s:%s; values.yaml has %s, Chart.yaml appVersion %s and version %s",
			image.NewName, image.NewTag, defaults.Image.Repository, chart.AppVersion, chart.Version)
	}
}

// What lies in the folder is what is packed.
func TestNothingElseIsPacked(t *testing.T) {
	legal := map[string]bool{".helmignore": true, "Chart.yaml": true, "README.md": true, "values.yaml": true, "values.schema.json": true, "dashboard.json": true}
	err := filepath.WalkDir(chartPath, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(chartPath, path)
		if err == nil && !legal[name] && filepath.Dir(name) != "templates" {
			t.Errorf("%s is no part of a chart", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
