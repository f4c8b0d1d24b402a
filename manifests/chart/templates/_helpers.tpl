{{- /* Labels of every object, besides its own. */ -}}
{{- define "probity.labels" -}}
app.kubernetes.io/part-of: probity
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* The image: its digest goes before its tag. */ -}}
{{- define "probity.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ printf "%s@%s" .repository .digest }}
{{- else -}}
{{ printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Nine tenths of the memory limit, in MiB; empty without a limit. */ -}}
{{- define "probity.gomemlimit" -}}
{{- $limit := dig "limits" "memory" "" .Values.resources | toString -}}
{{- if hasSuffix "Gi" $limit -}}
{{ div (mul (trimSuffix "Gi" $limit | int64) 1024 9) 10 }}MiB
{{- else if hasSuffix "Mi" $limit -}}
{{ div (mul (trimSuffix "Mi" $limit | int64) 9) 10 }}MiB
{{- else if $limit -}}
{{- fail (printf "resources.limits.memory is %q: give it in whole Mi or Gi, such as 256Mi; the limit of Go's garbage collector follows from it" $limit) -}}
{{- end -}}
{{- end -}}

{{- /* What the schema cannot say of the values. */ -}}
{{- define "probity.check" -}}
{{- if and (eq .Values.scope "cluster-wide") (not (dig "defaults" "mode" "" .Values.config)) -}}
{{- fail "scope is cluster-wide, and config.defaults.mode is not set, so no namespace would be judged: set it to audit, warn or enforce" -}}
{{- end -}}
{{- if and .Values.clientCertificates.names (not .Values.clientCertificates.configMap) -}}
{{- fail "clientCertificates.names is set, and clientCertificates.configMap is not: names say something only in certificates of an authority that is trusted" -}}
{{- end -}}
{{- end -}}
