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
