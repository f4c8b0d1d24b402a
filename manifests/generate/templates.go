package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// generated returns the files by their path in the chart.
func generated(manifests fs.FS) (map[string]string, error) {
	files := map[string]string{}
	sources, err := listSources(manifests)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		text, err := s.template(manifests)
		if err != nil {
			return nil, err
		}
		files["templates/"+s.name] = text
	}
	if files[dashboard], err = dashboardOf(manifests); err != nil {
		return nil, err
	}
	if err := addValues(manifests, files); err != nil {
		return nil, err
	}
	return files, nil
}

// source is a manifest that becomes a template.
type source struct {
	path string // of the manifest
	name string // of the template
	// when is the condition under which the chart has it, empty for always.
	when string
}

const monitoring = ".Values.monitoring.enabled"

const certManager = `eq .Values.certificates.issuer "cert-manager"`

// listSources returns all resources of the base, but the Namespace, which Helm
// makes, and what components add.
func listSources(manifests fs.FS) ([]source, error) {
	base, err := resources(manifests, "base")
	if err != nil {
		return nil, err
	}
	base = slices.DeleteFunc(base, func(name string) bool { return name == "namespace.yaml" })
	var all []source
	for _, name := range base {
		s := source{path: path.Join("base", name), name: name}
		switch name {
		case "mutating.yaml":
			s.when = ".Values.injection.enabled"
		case "secret.yaml":
			s.when = "not (" + certManager + ")"
		}
		all = append(all, s)
	}
	return append(all,
		source{"components/cert-manager/issuer.yaml", "cert-manager-issuer.yaml", `and (` + certManager + `) (not .Values.certificates.issuerRef)`},
		source{"components/cert-manager/certificate.yaml", "cert-manager-certificate.yaml", certManager},
		source{"components/network-policy/policy.yaml", "network-policy.yaml", ".Values.networkPolicy.enabled"},
		source{"monitoring/podmonitor.yaml", "monitoring-podmonitor.yaml", monitoring},
		source{"monitoring/alerts.yaml", "monitoring-alerts.yaml", monitoring},
	), nil
}

func resources(manifests fs.FS, folder string) ([]string, error) {
	name := path.Join(folder, "kustomization.yaml")
	text, err := fs.ReadFile(manifests, name)
	if err != nil {
		return nil, err
	}
	var k struct {
		Resources []string `json:"resources"`
	}
	if err := yaml.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return k.Resources, nil
}

func (s source) template(manifests fs.FS) (string, error) {
	data, err := fs.ReadFile(manifests, s.path)
	if err != nil {
		return "", err
	}
	// Alerts have templates of their own, for Prometheus to fill in.
	text := actions.ReplaceAllString(string(data), "{{`$0`}}")
	for _, e := range edits[s.path] {
		if text, err = e.apply(s.path, text); err != nil {
			return "", err
		}
	}
	if s.path == "base/rbac-certificates.yaml" {
		if text, err = alternativeRules(manifests, text); err != nil {
			return "", err
		}
	}
	documents := strings.Split(text, "\n---\n")
	for i, d := range documents {
		if documents[i], err = metadata(d, s.when == monitoring); err != nil {
			return "", fmt.Errorf("manifests/%s: %w", s.path, err)
		}
	}
	text = everywhere.Replace(strings.Join(documents, "\n---\n"))
	text = optIn.ReplaceAllString(text, "        {{- if eq .Values.scope \"opt-in\" }}\n$0        {{- end }}\n")
	if s.when != "" {
		text = "{{- if " + s.when + " }}\n" + text + "{{- end }}\n"
	}
	return "{{- /* Made from manifests/" + s.path + " by `make generate`: change that. */ -}}\n" + text, nil
}

// actions are templates in a manifest.
var actions = regexp.MustCompile(`\{\{.*?\}\}`)

// everywhere are the words that stand for a value in any file.
var everywhere = strings.NewReplacer("probity-system", "{{ .Release.Namespace }}")

// optIn is the requirement that a cluster-wide installation lacks.
var optIn = regexp.MustCompile(`(?m)(^        # Opt-in:.*\n)?^        - key: probity\.dev/mode\n          operator: Exists\n`)

var (
	metadataBlock = regexp.MustCompile(`(?m)^metadata:\n(  .*\n)+`)
	labelBlock    = regexp.MustCompile(`(?m)^  labels:\n(    .*\n)+`)
)

// metadata adds the labels that all objects of the chart have, to those that an
// operator selects by labels the ones that it wants, and to webhook configurations
// the annotation that names a Certificate.
func metadata(document string, selected bool) (string, error) {
	// The last line of a document that is not the last of its file has lost its end.
	if !strings.HasSuffix(document, "\n") {
		with, err := metadata(document+"\n", selected)
		return strings.TrimSuffix(with, "\n"), err
	}
	block := metadataBlock.FindString(document)
	if block == "" {
		return "", fmt.Errorf("a document has no metadata: %.60q", document)
	}
	labels := "    {{- include \"probity.labels\" . | nindent 4 }}\n"
	if selected {
		labels += "    {{- with .Values.monitoring.labels }}\n    {{- toYaml . | nindent 4 }}\n    {{- end }}\n"
	}
	edited := labelBlock.ReplaceAllString(block, "${0}"+labels)
	if edited == block {
		edited += "  labels:\n" + labels
	}
	if strings.Contains(document, "WebhookConfiguration\n") {
		edited += "  {{- if " + certManager + " }}\n  annotations:\n    cert-manager.io/inject-ca-from: probity-system/probity\n  {{- end }}\n"
	}
	return strings.Replace(document, block, edited, 1), nil
}

// alternativeRules gives each role of the certificates the rules of the component
// cert-manager as the other choice.
func alternativeRules(manifests fs.FS, base string) (string, error) {
	const component = "components/cert-manager/rbac.yaml"
	data, err := fs.ReadFile(manifests, component)
	if err != nil {
		return "", err
	}
	documents := strings.Split(strings.TrimSuffix(base, "\n"), "\n---\n")
	for _, replacement := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n---\n") {
		head, rules, found := strings.Cut(replacement, "\nrules:\n")
		kind := regexp.MustCompile(`(?m)^kind: \w+$`).FindString(head)
		i := slices.IndexFunc(documents, func(d string) bool { return kind != "" && strings.Contains(d, kind+"\n") })
		if !found || i < 0 {
			return "", fmt.Errorf("manifests/%s: no document of base/rbac-certificates.yaml has %q", component, kind)
		}
		own, ownRules, _ := strings.Cut(documents[i], "\nrules:\n")
		documents[i] = own + "\nrules:\n{{- if " + certManager + " }}\n" + rules + "\n{{- else }}\n" + ownRules + "\n{{- end }}"
	}
	return strings.Join(documents, "\n---\n") + "\n", nil
}
