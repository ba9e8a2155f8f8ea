{{- define "stacks-exporter.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* At most 52 characters: a StatefulSet appends 11 to its name for a label of its pods, which has at most 63. */}}
{{- define "stacks-exporter.fullname" -}}
{{- $name := include "stacks-exporter.name" . }}
{{- if contains $name .Release.Name }}{{ $name = .Release.Name }}{{ else }}{{ $name = printf "%s-%s" .Release.Name $name }}{{ end }}
{{- default $name .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "stacks-exporter.selectorLabels" -}}
app.kubernetes.io/name: {{ include "stacks-exporter.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "stacks-exporter.labels" -}}
{{ include "stacks-exporter.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "stacks-exporter.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "stacks-exporter.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "stacks-exporter.image" -}}
{{- with .Values.image }}
{{- with .registry }}{{ . }}/{{ end }}{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ default $.Chart.AppVersion .tag }}{{ end }}
{{- end }}
{{- end }}

{{- define "stacks-exporter.externalUrl" -}}
{{- /* The name of a headless Service is that of its pods, with their port. */}}
{{- $port := eq .Values.service.type "ClusterIP" | ternary 10789 .Values.service.port }}
{{- $own := printf "http://%s.%s.svc:%v" (include "stacks-exporter.fullname" .) .Release.Namespace $port }}
{{- coalesce .Values.externalUrl (dig "web" "external_url" "" .Values.config) $own | trimSuffix "/" }}
{{- end }}

{{- define "stacks-exporter.config" -}}
{{- if .Values.config.shard }}{{ fail "config.shard: expected the value shards instead, so that the pods and the exporter have the same number" }}{{ end }}
{{- $shard := dict "index" "hostname" "count" (int .Values.shards) }}
{{- $web := dict "external_url" (include "stacks-exporter.externalUrl" .) }}
{{- merge (dict "shard" $shard) (deepCopy .Values.config) (dict "web" $web) | toYaml }}
{{- end }}
