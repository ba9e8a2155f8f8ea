{{- /* Text with tokens as alerts/values.ts declares them, filled with the values `rules`. Takes context, text, selector. */}}
{{- define "stacks-exporter.filled" -}}
{{- $values := .context.Values.rules }}
{{- $limits := .context.Files.Get "files/limits.json" | fromJson }}
{{- $runbooks := default (printf "%s/runbooks" (include "stacks-exporter.externalUrl" .context)) $values.runbookUrl }}
{{- $plain := merge (dict "selector" .selector "runbookUrl" (trimSuffix "/" $runbooks)) $values }}
{{- $text := .text }}
{{- if not .selector }}
{{- $text = $text | replace "{%(selector)s}" "" | replace "%(selector)s, " "" }}
{{- end }}
{{- range $token := regexFindAll `%\(\w+(\.\w+(\*[0-9.]+)?)?\)s` $text -1 | uniq }}
{{- $parts := trimPrefix "%(" $token | trimSuffix ")s" | splitList "*" }}
{{- $path := first $parts | splitList "." }}
{{- $name := first $path }}
{{- $value := get $plain $name }}
{{- if gt (len $path) 1 }}
{{- $limit := last $path }}
{{- $own := get $values.thresholds $name | default dict }}
{{- $value = get (hasKey $own $limit | ternary $own (get $limits $name)) $limit }}
{{- end }}
{{- if gt (len $parts) 1 }}{{ $value = mulf $value (last $parts | float64) }}{{ end }}
{{- $json := toJson $value }}
{{- $text = $text | replace (quote $token) $json | replace $token ($json | trimPrefix "\"" | trimSuffix "\"") }}
{{- end }}
{{- $text }}
{{- end }}
