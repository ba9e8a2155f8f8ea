{{- define "name" -}}
{{- if contains "stacks-exporter" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-stacks-exporter{{ end }}
{{- end }}

{{- define "selector" -}}
app.kubernetes.io/name: stacks-exporter
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "config" -}}
{{- if .Values.config.shard }}{{ fail "config.shard: expected the value shards instead, so that the pods and the exporter have the same number" }}{{ end }}
{{- $shard := dict "index" "hostname" "count" (int .Values.shards) }}
{{- merge (dict "shard" $shard) .Values.config | toYaml }}
{{- end }}
