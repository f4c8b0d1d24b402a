package main

import (
	"fmt"
	"strings"
)

// edit replaces lines of a manifest by lines of a template.
type edit struct {
	old, new string
	// within, when set, is a line: the edit applies from there to the next line
	// that is indented as much and begins a list item too.
	within string
}

func (e edit) apply(file, text string) (string, error) {
	before, part, after := "", text, ""
	if e.within != "" {
		start := strings.Index(text, e.within+"\n")
		if start < 0 {
			return "", e.missing(file, e.within)
		}
		end := len(text)
		indent := e.within[:strings.Index(e.within, "-")+2]
		if next := strings.Index(text[start+1:], "\n"+indent); next >= 0 {
			end = start + 1 + next + 1 // the end of the line belongs to it
		}
		before, part, after = text[:start], text[start:end], text[end:]
	}
	if strings.Count(part, e.old) != 1 {
		return "", e.missing(file, e.old)
	}
	return before + strings.Replace(part, e.old, e.new, 1) + after, nil
}

func (e edit) missing(file, lines string) error {
	return fmt.Errorf("manifests/%s must hold these lines once, where the chart puts its values; when they changed, "+
		"change them in manifests/generate/edits.go too:\n%s", file, lines)
}

// edits are those of each manifest, in their order.
var edits = map[string][]edit{
	"base/config.yaml": {
		{old: "# The configuration file. Probity takes", new: "{{- include \"probity.check\" . }}\n# The configuration file. Probity takes"},
		{
			old: "    apiVersion: probity.dev/v1alpha1\n    kind: Configuration\n",
			new: "    apiVersion: probity.dev/v1alpha1\n    kind: Configuration\n    {{- with .Values.config }}\n    {{- toYaml . | nindent 4 }}\n    {{- end }}\n",
		},
	},
	"base/quota.yaml": {
		{
			old: "    pods: \"10\" # the replicas, twice over during a rollout, and room to scale\n",
			new: "    # The replicas, twice over during a rollout, and room to scale.\n    pods: {{ max 10 (mul 3 (int .Values.replicas)) | quote }}\n",
		},
		{old: "[system-cluster-critical]", new: "[{{ .Values.priorityClassName }}]"},
		{old: "# Some clusters let", new: "{{- if .Values.priorityClassName }}\n# Some clusters let"},
		{old: "values: [{{ .Values.priorityClassName }}]\n", new: "values: [{{ .Values.priorityClassName }}]\n{{- end }}\n"},
	},
	"base/deployment.yaml": deploymentEdits,
	"base/validating.yaml": {
		{within: "  - name: workloads.validate.probity.dev", old: "failurePolicy: Ignore\n", new: "failurePolicy: {{ .Values.failurePolicy }}\n"},
		{within: "  - name: workloads.validate.probity.dev", old: "timeoutSeconds: 2\n", new: "timeoutSeconds: {{ .Values.timeoutSeconds }}\n"},
	},
	"components/cert-manager/certificate.yaml": {
		{
			old: "  issuerRef:\n    group: cert-manager.io\n    kind: Issuer\n    name: probity-ca\n",
			new: "  issuerRef:\n    {{- with .Values.certificates.issuerRef }}\n    {{- toYaml . | nindent 4 }}\n    {{- else }}\n" +
				"    group: cert-manager.io\n    kind: Issuer\n    name: probity-ca\n    {{- end }}\n",
		},
	},
	"components/network-policy/policy.yaml": {
		{
			old: "        - namespaceSelector:\n            matchLabels:\n              kubernetes.io/metadata.name: monitoring\n",
			new: "        {{- toYaml .Values.networkPolicy.metricsFrom | nindent 8 }}\n",
		},
	},
}

var deploymentEdits = []edit{
	{old: "  replicas: 2\n", new: "  replicas: {{ .Values.replicas }}\n"},
	{
		old: "        app.kubernetes.io/name: probity\n      annotations:\n        kubectl.kubernetes.io/default-container: probity\n",
		new: "        app.kubernetes.io/name: probity\n        {{- with .Values.labels }}\n        {{- toYaml . | nindent 8 }}\n        {{- end }}\n" +
			"      annotations:\n        kubectl.kubernetes.io/default-container: probity\n" +
			"        {{- with .Values.podAnnotations }}\n        {{- toYaml . | nindent 8 }}\n        {{- end }}\n",
	},
	{
		old: "      priorityClassName: system-cluster-critical\n",
		new: "      {{- with .Values.priorityClassName }}\n      priorityClassName: {{ . }}\n      {{- end }}\n",
	},
	{
		old: "        kubernetes.io/os: linux\n",
		new: "        kubernetes.io/os: linux\n        {{- with .Values.nodeSelector }}\n        {{- toYaml . | nindent 8 }}\n        {{- end }}\n" +
			"      {{- with .Values.tolerations }}\n      tolerations:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n" +
			"      {{- with .Values.affinity }}\n      affinity:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n" +
			"      {{- with .Values.imagePullSecrets }}\n      imagePullSecrets:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n",
	},
	{
		old: "          image: probity # kustomization.yaml says which\n",
		new: "          image: {{ include \"probity.image\" . }}\n" +
			"          {{- with .Values.image.pullPolicy }}\n          imagePullPolicy: {{ . }}\n          {{- end }}\n",
	},
	{
		old: "          env:\n",
		new: "            {{- if eq .Values.certificates.issuer \"cert-manager\" }}\n" +
			"            # The Secret and the caBundle are cert-manager's to write.\n            - --cert-read-only\n            {{- end }}\n" +
			"            {{- if .Values.clientCertificates.configMap }}\n            # Reviews only from clients with a certificate.\n" +
			"            - --client-ca=/etc/probity-clients/ca.crt\n" +
			"            {{- range .Values.clientCertificates.names }}\n            - {{ printf \"--client-name=%s\" . | quote }}\n            {{- end }}\n            {{- end }}\n" +
			"            {{- with .Values.extraArgs }}\n            {{- toYaml . | nindent 12 }}\n            {{- end }}\n" +
			"          env:\n",
	},
	{
		old: "            # Nine tenths of the limit: the collector works harder before the\n            # kernel kills.\n" +
			"            - name: GOMEMLIMIT\n              value: 230MiB\n",
		new: "            {{- with include \"probity.gomemlimit\" . }}\n" +
			"            # Nine tenths of the limit: the collector works harder before the\n            # kernel kills.\n" +
			"            - name: GOMEMLIMIT\n              value: {{ . }}\n            {{- end }}\n",
	},
	{
		old: "            requests:\n              cpu: 100m\n              memory: 64Mi\n            limits:\n" +
			"              # No limit for CPU: throttled, a review would miss its 2 s.\n              memory: 256Mi\n",
		new: "            {{- toYaml .Values.resources | nindent 12 }}\n",
	},
	{
		old: "              readOnly: true\n      volumes:\n        - name: config\n          configMap:\n            name: probity\n",
		new: "              readOnly: true\n            {{- if .Values.clientCertificates.configMap }}\n            - name: clients\n" +
			"              mountPath: /etc/probity-clients\n              readOnly: true\n            {{- end }}\n" +
			"      volumes:\n        - name: config\n          configMap:\n            name: probity\n" +
			"        {{- with .Values.clientCertificates.configMap }}\n        - name: clients\n          configMap:\n            name: {{ . }}\n        {{- end }}\n",
	},
}
