/** Makes `deploy/monitoring/alerts.yaml` and `docs/alerts.md` of the table of alerts. */
import { stringify } from 'yaml'
import type { Alert, AlertGroup } from '../../http/metrics/alerts/alert.ts'
import { ALERT_GROUPS } from '../../http/metrics/alerts/table.ts'

const HEAD = `# Alert rules for Prometheus. Made of http/metrics/alerts/ by test/monitoring/alerts.test.ts.
# They expect the job "parley"; prometheus.yaml beside this file has an example.
`

/** `change` makes other rules of them, such as shorter ones. */
export function alertRules(change: (rule: Alert) => Alert = (rule) => rule): string {
  const groups = ALERT_GROUPS.map(({ title, alerts }) => ({
    name: `parley: ${title.toLowerCase()}`,
    rules: Object.entries(alerts).map(([name, alert]) => {
      const { expr, for: held, severity, summary } = change(alert)
      return {
        alert: name,
        expr,
        ...(held !== '0m' && { for: held }),
        labels: { severity },
        annotations: { summary, runbook_url: `docs/alerts.md#${name.toLowerCase()}` },
      }
    }),
  }))
  return `${HEAD}${stringify({ groups }, { lineWidth: 0 })}`
}

const INTRODUCTION = `# Alerts

<!-- Made of http/metrics/alerts/ by test/monitoring/alerts.test.ts. -->

\`deploy/monitoring/alerts.yaml\` has alert rules for Prometheus, \`deploy/monitoring/prometheus.yaml\` a configuration that uses
them. This page is their runbook: each rule links to its paragraph here. [metrics.md](metrics.md) has the metrics.

- \`severity: page\` is for what tenants notice now: wake somebody. \`severity: ticket\` can wait for the working day.
- The rules expect that the nodes are scraped as the job \`parley\`.
- The thresholds suit most installations. Change a copy, not the file: it is replaced by the next version.
- \`runbook_url\` is a path in this repository. Put the address under which you read these pages before it, such as
  \`sed 's#docs/alerts.md#https://wiki.example.com/parley/alerts.md#' deploy/monitoring/alerts.yaml\`.
`

export function runbook(): string {
  return `${[INTRODUCTION, ...ALERT_GROUPS.map(section)].join('\n').trimEnd()}\n`
}

function section({ title, alerts }: AlertGroup): string {
  return `## ${title}\n\n${Object.entries(alerts).map(paragraph).join('\n')}`
}

function paragraph([name, { severity, for: held, expr, cause, look, act }]: [string, Alert]): string {
  const when = held === '0m' ? 'at once' : `after ${held}`
  return `### ${name}

${severity === 'page' ? 'Page' : 'Ticket'}, ${when}: \`${expr}\`

- **Cause:** ${cause}
- **Look:** ${look}
- **Do:** ${act}
`
}
