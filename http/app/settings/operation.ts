/** The operation of a node: its log, its metrics and its stop. */
import { setting } from './setting.ts'
import { integer, oneOf, path, share, text, url } from './types.ts'

export const operation = {
  log_level: setting({
    variable: 'PARLEY_LOG_LEVEL',
    type: oneOf('debug', 'info', 'warn', 'error'),
    default: 'info' as const,
    meaning: 'Minimum severity of log lines.',
  }),
  access_log: setting({
    variable: 'PARLEY_ACCESS_LOG',
    type: oneOf('off', 'errors', 'all'),
    default: 'off' as const,
    meaning:
      'Requests with a line in the log: none, those with a status of 400 or above, or all. The lines have the severity `info` ([tracing.md](tracing.md)).',
  }),
  traces_url: setting<string | null>({
    variable: 'PARLEY_TRACES_URL',
    type: url('http', 'https'),
    default: null,
    default_text: 'none: no traces',
    meaning:
      'Collector of traces by OTLP over HTTP, with its path: `http://localhost:4318/v1/traces` ([tracing.md](tracing.md#traces)). Headers of its calls, such as a key, are in `OTEL_EXPORTER_OTLP_HEADERS`.',
  }),
  traces_sample: setting({
    variable: 'PARLEY_TRACES_SAMPLE',
    type: share,
    default: 0.01,
    meaning: 'Share of the requests whose traces are recorded. Failed and slow ones are recorded in addition.',
  }),
  traces_slow_ms: setting({
    variable: 'PARLEY_TRACES_SLOW_MS',
    type: integer(1, 600_000),
    default: 1000,
    meaning: 'Milliseconds from which on a request, a call of a provider or a delivery is recorded as slow.',
  }),
  metrics_port: setting<number | null>({
    variable: 'PARLEY_METRICS_PORT',
    type: integer(1, 65_535),
    default: null,
    default_text: 'the first free one from `9464` on',
    meaning: 'Port of `/metrics`. The log of the start and `parley doctor` show it.',
  }),
  metrics_host: setting({
    variable: 'PARLEY_METRICS_HOST',
    type: text,
    default: '127.0.0.1',
    meaning:
      'Address on which `/metrics` listens. It needs no key: choose an address that only your monitoring can reach.',
  }),
  stop_grace_seconds: setting({
    variable: 'PARLEY_STOP_GRACE_SECONDS',
    type: integer(0, 600),
    default: (environment) => (environment === 'development' ? 0 : 5),
    default_text: '`0` in development, `5` in production',
    meaning:
      'Seconds for which a stopping node answers 503 at `/ready` and still serves requests, so that load balancers stop using it.',
  }),
  stop_requests_seconds: setting({
    variable: 'PARLEY_STOP_REQUESTS_SECONDS',
    type: integer(1, 3600),
    default: (environment) => (environment === 'development' ? 10 : 60),
    default_text: '`10` in development, `60` in production',
    meaning:
      'Seconds for which a stopping node then waits for the requests in progress, such as large uploads over slow lines. Process managers have to wait 35 s longer than both together.',
  }),
  deployment_release: setting<string | null>({
    variable: 'PARLEY_DEPLOYMENT_RELEASE',
    type: text,
    default: null,
    default_text: 'set by the chart and by the set of containers',
    meaning:
      'Release of the chart or the set of containers that starts the node. A start warns when the program is of another.',
  }),
  nats_server: setting<string | null>({
    variable: 'PARLEY_NATS_SERVER',
    type: path,
    default: null,
    default_text: 'found on the `PATH`, otherwise downloaded by the set-up',
    meaning: 'The nats-server binary (2.9 or newer) of an embedded start.',
  }),
}
