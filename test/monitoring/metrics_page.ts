/** Makes `docs/metrics.md` of the table of metrics. */
import type { Metric, MetricGroup } from '../../http/metrics/metric.ts'
import { METRIC_GROUPS } from '../../http/metrics/table.ts'

const INTRODUCTION = `# Metrics

<!-- Made of the table in http/metrics/ by test/monitoring/table.test.ts. -->

\`/metrics\` serves the Prometheus text format. It has a separate port, because it needs no key and is not meant for clients.
[alerts.md](alerts.md) has the alerts that are made of these metrics, \`deploy/monitoring/\` the files for Prometheus and
Grafana.

- **Address:** \`PARLEY_METRICS_HOST\` (127.0.0.1) and \`PARLEY_METRICS_PORT\`. Without a port, the first free one from 9464 on is
  used, so that several nodes on a machine do not collide. "Parley is ready" in the log has its \`metrics_url\`, and
  \`parley doctor\` finds it. To scrape from another machine set both: \`PARLEY_METRICS_HOST=10.0.0.7 PARLEY_METRICS_PORT=9464\`.
- **\`PARLEY_NODES\`:** one page covers all processes of the start; each series has a label \`process\`, from 1.
- **Cost:** the text is generated once a second at most, however many clients ask.
- **Names** follow the conventions of Prometheus. Those that do not begin with \`parley_\` are usual names: of processes and
  Node.js, and of instruments of OpenTelemetry's semantic conventions, which the tables name (*OTel*).
- **Labels** come from closed sets. There are no labels for tenants, partitions or paths.
- **Cluster:** metrics marked so describe the tables, for all nodes. One node at a time reports them, and they are missing
  while PostgreSQL does not answer. Each count stops at a bound, and scrapes within five seconds share one look.

In Grafana, *Dashboards*, *New*, *Import* takes \`deploy/monitoring/dashboard.json\` and asks for the Prometheus. This picture has
its panels, drawn of its own queries after a little load (\`npm run pictures -- dashboard\`):

![The dashboard](pictures/dashboard.webp)
`

export function metricsPage(): string {
  return `${[INTRODUCTION, ...METRIC_GROUPS.map(section)].join('\n').trimEnd()}\n`
}

function section({ title, metrics, owner }: MetricGroup): string {
  const rows = Object.entries(metrics).map(([name, metric]) => row(name, metric))
  return `## ${title}\n\nFrom \`${owner}\`.\n\n| metric | type | labels | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

function row(name: string, { type, unit, help, labels = {}, semantic, reported_by }: Metric): string {
  const notes = [
    help.replaceAll('|', '\\|'),
    reported_by === 'cluster' && '*Cluster.*',
    semantic && `OTel \`${semantic}\`.`,
  ].filter(Boolean)
  const kind = unit === '' ? type : `${type}, ${unit}`
  const sets = Object.entries(labels).map(([label, values]) => `\`${label}\`: ${wordsOf(values)}`)
  return `| \`${name}\` | ${kind} | ${sets.join('<br>')} | ${notes.join(' ')} |`
}

const wordsOf = (values: readonly string[] | string) =>
  typeof values === 'string' ? values : values.map((value) => `\`${value}\``).join(', ')
