{{- define "parley.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "parley.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "parley.labels" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "parley.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The environment that every process of Parley needs, the job included. */}}
{{- define "parley.environment" -}}
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
env:
  - name: PARLEY_BASE_URL
    value: {{ .Values.baseUrl | quote }}
  {{- with .Values.trustedProxies }}
  - name: PARLEY_TRUSTED_PROXIES
    value: {{ . | quote }}
  {{- end }}
  {{- if eq .Values.files.kept "volume" }}
  - name: PARLEY_BLOB_URL
    value: file:///var/lib/parley-files
  {{- end }}
  - name: PARLEY_PORT
    value: "8080"
  - name: PARLEY_METRICS_HOST
    value: 0.0.0.0
  - name: PARLEY_METRICS_PORT
    value: "9464"
  - name: PARLEY_STOP_GRACE_SECONDS
    value: {{ .Values.stop.graceSeconds | quote }}
  - name: PARLEY_STOP_REQUESTS_SECONDS
    value: {{ .Values.stop.requestsSeconds | quote }}
  - name: PARLEY_DEPLOYMENT_RELEASE
    value: {{ .Chart.AppVersion | quote }}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- end }}

{{/* The user of the image, who writes to the volumes alone. */}}
{{- define "parley.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "parley.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "parley.mounts" -}}
- name: data
  mountPath: /var/lib/parley
- name: tmp
  mountPath: /tmp
{{- end }}

{{- define "parley.volumes" -}}
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
{{- end }}
