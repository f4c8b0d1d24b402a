package chart

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// overlay starts a kustomization of the test.
func overlay(resource, more string) string {
	return "resources: [../" + resource + "]\n" + more
}

// pairs are values of the chart, and the kustomization that must give the same
// objects.
var pairs = map[string]struct{ values, kustomization string }{
	"opt-in": {"{}", overlay("base", "")},
	"cluster-wide": {
		"{scope: cluster-wide, config: {defaults: {mode: warn}}}",
		overlay("cluster-wide", ""),
	},
	"audit-only": {
		"{scope: cluster-wide, config: {defaults: {mode: audit}}, injection: {enabled: false}}",
		overlay("audit-only", ""),
	},
	"fail-closed": {
		"{failurePolicy: Fail, timeoutSeconds: 5, replicas: 3}",
		overlay("fail-closed", ""),
	},
	"cert-manager": {
		"{certificates: {issuer: cert-manager}}",
		overlay("cert-manager", ""),
	},
	"cert-manager with an issuer of one's own": {
		"{certificates: {issuer: cert-manager, issuerRef: {kind: ClusterIssuer, name: corporate}}}",
		overlay("cert-manager", `patches:
  - patch: '{"$patch": delete, apiVersion: cert-manager.io/v1, kind: Issuer, metadata: {name: probity-selfsigned, namespace: probity-system}}'
  - patch: '{"$patch": delete, apiVersion: cert-manager.io/v1, kind: Issuer, metadata: {name: probity-ca, namespace: probity-system}}'
  - patch: '{"$patch": delete, apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: probity-ca, namespace: probity-system}}'
  - target: {kind: Certificate, name: probity}
    patch: '[{"op": "replace", "path": "/spec/issuerRef", "value": {"kind": "ClusterIssuer", "name": "corporate"}}]'
`),
	},
	"network policy": {
		"{networkPolicy: {enabled: true}}",
		overlay("base", "components: [../components/network-policy]"),
	},
	"client certificates": {
		"{clientCertificates: {configMap: probity-clients, names: [kube-apiserver]}}",
		overlay("base", `components: [../components/client-certificates]
patches:
  - target: {kind: Deployment, name: probity}
    patch: '[{"op": "add", "path": "/spec/template/spec/containers/0/args/-", "value": "--client-name=kube-apiserver"}]'
`),
	},
	"monitoring": {
		"{monitoring: {enabled: true, labels: {release: prometheus}}}",
		overlay("base, ../monitoring", `patches:
  - target: {group: monitoring.coreos.com}
    patch: '[{"op": "add", "path": "/metadata/labels/release", "value": "prometheus"}]'
`),
	},
	"all at once": {
		"{scope: cluster-wide, config: {defaults: {mode: warn}}, failurePolicy: Fail, timeoutSeconds: 5, replicas: 3," +
			" certificates: {issuer: cert-manager}, networkPolicy: {enabled: true}, clientCertificates: {configMap: probity-clients}}",
		overlay("base", "components: [../components/cluster-wide, ../components/fail-closed, ../components/cert-manager, ../components/network-policy, ../components/client-certificates]"),
	},
	"a configuration": {
		"{config: {rules: {liveness-window: {action: deny}}, exemptions: {namespaces: [legacy-*]}}}",
		overlay("base", `patches:
  - patch: |-
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: probity, namespace: probity-system}
      data:
        config.yaml: |
          apiVersion: probity.dev/v1alpha1
          kind: Configuration
          rules: {liveness-window: {action: deny}}
          exemptions: {namespaces: [legacy-*]}
`),
	},
	"one replica": {
		"{replicas: 1}",
		overlay("base", "replicas: [{name: probity, count: 1}]"),
	},
	"another image, by its digest": {
		"{image: {repository: registry.example/probity, digest: sha256:" + strings.Repeat("ab", 32) + "}}",
		overlay("base", "images: [{name: probity-dev/probity, newName: registry.example/probity, digest: sha256:"+strings.Repeat("ab", 32)+"}]"),
	},
	"another image, by its tag": {
		"{image: {repository: registry.example/probity, tag: v9}}",
		overlay("base", "images: [{name: probity-dev/probity, newName: registry.example/probity, newTag: v9}]"),
	},
	"more labels": {
		"{labels: {team: platform, cost-center: \"42\"}}",
		overlay("base", "labels: [{pairs: {team: platform, cost-center: \"42\"}, includeTemplates: true}]"),
	},
	"where and how the pods run": {
		`{nodeSelector: {pool: system}, tolerations: [{key: system, operator: Exists}], podAnnotations: {a: b}, extraArgs: [--debug],
  imagePullSecrets: [{name: registry}], resources: {requests: {cpu: 200m}, limits: {memory: 1Gi}}, image: {pullPolicy: Always}}`,
		overlay("base", `patches:
  - patch: |-
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: probity, namespace: probity-system}
      spec:
        template:
          metadata: {annotations: {a: b}}
          spec:
            nodeSelector: {pool: system}
            tolerations: [{key: system, operator: Exists}]
            imagePullSecrets: [{name: registry}]
            containers:
              - name: probity
                imagePullPolicy: Always
                resources: {requests: {cpu: 200m}, limits: {memory: 1Gi}}
  - target: {kind: Deployment, name: probity}
    patch: |- # by its index, since a merge would change the order
      - {op: add, path: /spec/template/spec/containers/0/args/-, value: --debug}
      - {op: test, path: /spec/template/spec/containers/0/env/2/name, value: GOMEMLIMIT}
      - {op: replace, path: /spec/template/spec/containers/0/env/2/value, value: 921MiB}
`),
	},
	"many replicas without priority": {
		`{replicas: 12, priorityClassName: ""}`,
		overlay("base", `replicas: [{name: probity, count: 12}]
patches:
  - patch: '{"$patch": delete, apiVersion: v1, kind: ResourceQuota, metadata: {name: probity-critical-pods, namespace: probity-system}}'
  - target: {kind: Deployment, name: probity}
    patch: '[{"op": "remove", "path": "/spec/template/spec/priorityClassName"}]'
`),
	},
}

// TestTheChartInstallsWhatTheOverlaysInstall is what keeps the two from drifting.
func TestTheChartInstallsWhatTheOverlaysInstall(t *testing.T) {
	for name, pair := range pairs {
		for version, helm := range helms {
			t.Run(name+"/"+version, func(t *testing.T) {
				t.Parallel()
				want, err := parse(kustomize(t, pair.kustomization))
				if err != nil {
					t.Fatal(err)
				}
				compare(t, pair.values, namespace, want, helm)
			})
		}
	}
}

func TestTheChartGoesIntoAnyNamespace(t *testing.T) {
	for _, name := range []string{"opt-in", "all at once"} {
		t.Run(name, func(t *testing.T) {
			text := kustomize(t, pairs[name].kustomization)
			want, err := parse(bytes.ReplaceAll(text, []byte(namespace), []byte("elsewhere")))
			if err != nil {
				t.Fatal(err)
			}
			compare(t, pairs[name].values, "elsewhere", want, helm4)
		})
	}
}

// differences tells what is another in the chart's objects than is wanted, by object
// and field.
func differences(want, got objects) []string {
	var differences []string
	for _, name := range slices.Sorted(maps.Keys(merged(want, got))) {
		switch {
		case got[name] == nil:
			differences = append(differences, name+": the chart does not have it")
		case want[name] == nil:
			differences = append(differences, name+": only the chart has it")
		default:
			for _, d := range differing("", want[name], got[name]) {
				differences = append(differences, name+": "+d)
			}
		}
	}
	return differences
}

// compare renders the chart and tells every difference by object and field.
func compare(t *testing.T, text, namespace string, want objects, helm func(string, map[string]any, string) (*rendered, error)) {
	t.Helper()
	r, err := helm(chartPath, values(t, text), namespace)
	if err != nil {
		t.Fatal(err)
	}
	got := r.objects
	delete(want, "Namespace "+namespace) // Helm's to make, with --create-namespace.
	for _, all := range []objects{want, got} {
		for _, o := range all {
			normalize(t, o)
		}
	}
	differences := differences(want, got)
	if len(differences) == 0 {
		return
	}
	t.Errorf("The chart with the values\n  %s\ninstalls something else than the kustomization:\n%s\n\n"+
		"Templates are made from manifests/base and manifests/components by `make generate`. Where an overlay patches a field, "+
		"the chart has a value for it, and manifests/generate says where: "+
		"change the patch in manifests/components and the edit in manifests/generate together.", text, strings.Join(differences, "\n"))
}

func merged(a, b objects) objects {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// normalize takes out what only Helm adds, reads the configuration, whose comments do
// not matter, and sorts webhooks: kustomize puts those that it patches first, and the
// API server calls all validating ones at once.
func normalize(t *testing.T, o map[string]any) {
	t.Helper()
	metadata, ok := o["metadata"].(map[string]any)
	if !ok {
		t.Fatalf("an object has no metadata: %v", o)
	}
	if labels, ok := metadata["labels"].(map[string]any); ok {
		for _, l := range []string{"helm.sh/chart", "app.kubernetes.io/managed-by", "app.kubernetes.io/version"} {
			delete(labels, l)
		}
	}
	if webhooks, ok := o["webhooks"].([]any); ok {
		name := func(w any) string { return w.(map[string]any)["name"].(string) }
		slices.SortFunc(webhooks, func(a, b any) int { return strings.Compare(name(a), name(b)) })
	}
	if data, ok := o["data"].(map[string]any); ok && o["kind"] == "ConfigMap" {
		for key, value := range data {
			var content any
			if text, ok := value.(string); ok && strings.HasSuffix(key, ".yaml") {
				if err := yaml.Unmarshal([]byte(text), &content); err != nil {
					t.Fatal(err)
				}
				data[key] = content
			}
		}
	}
}

// differing lists the fields in which two values differ.
func differing(path string, kustomize, chart any) []string {
	switch a := kustomize.(type) {
	case map[string]any:
		if b, ok := chart.(map[string]any); ok {
			return differingFields(path, a, b)
		}
	case []any:
		if b, ok := chart.([]any); ok && len(a) == len(b) {
			var all []string
			for i := range a {
				all = append(all, differing(fmt.Sprintf("%s[%d]", path, i), a[i], b[i])...)
			}
			return all
		}
	}
	if reflect.DeepEqual(kustomize, chart) {
		return nil
	}
	return []string{fmt.Sprintf("%s\n    kustomize: %v\n    chart:     %v", strings.TrimPrefix(path, "."), kustomize, chart)}
}

func differingFields(path string, kustomize, chart map[string]any) []string {
	keys := maps.Clone(kustomize)
	maps.Copy(keys, chart)
	var all []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		all = append(all, differing(path+"."+key, kustomize[key], chart[key])...)
	}
	return all
}
