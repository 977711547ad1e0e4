import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ALERT_GROUPS, ALERTS } from '../../http/metrics/alerts/table.ts'
import type { Metric } from '../../http/metrics/metric.ts'
import { METRICS } from '../../http/metrics/table.ts'
import { alertRules, runbook } from './alert_files.ts'
import { labelsIn, metricsIn } from './expression.ts'
import { checkWritten } from './written.ts'

const page = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8')

t.test('each alert is named once and asks for metrics and labels of the table', async (t) => {
  const names = ALERT_GROUPS.flatMap(({ alerts }) => Object.keys(alerts))
  t.equal(new Set(names).size, names.length)
  for (const [name, alert] of Object.entries(ALERTS)) {
    t.match(name, /^Parley[A-Z]\w+$/)
    t.match(alert.for, /^\d+[mh]$/)
    const used = metricsIn(alert.expr)
    t.ok(used.length > 0, name)
    for (const metric of used) t.ok(metric === 'up' || metric in METRICS, `${name}: ${metric} is a metric`)
    const known = new Set(
      used.flatMap((metric) => Object.keys((METRICS as Record<string, Metric>)[metric]?.labels ?? {})),
    )
    for (const label of labelsIn(alert.expr)) {
      t.ok(['job', 'instance', 'le'].includes(label) || known.has(label), `${name}: ${label} is a label`)
    }
    // Names that others use, too, count those of Parley alone.
    for (const metric of used) {
      if (!metric.startsWith('parley_')) t.match(alert.expr, /job="parley"/, `${name} asks for the job`)
    }
  }
})

t.test('the runbook names commands, settings and pages that exist', async (t) => {
  const [cli, settings] = [page('cli.md'), page('configuration.md')]
  for (const [name, { cause, look, act, summary }] of Object.entries(ALERTS)) {
    for (const text of [cause, look, act]) t.match(text, /^[`"A-Z*\d].*[.)]$/s, `${name}: sentences`)
    t.notMatch(summary, /\.$/, `${name}: the summary is a line`)
    const all = [cause, look, act].join('\n')
    for (const [, command] of all.matchAll(/`parley ([a-z-]+(?: [a-z-]+)?)/g)) {
      t.ok(cli.includes(`parley ${command}`), `${name}: parley ${command}`)
    }
    for (const [setting] of all.matchAll(/PARLEY_[A-Z_]+/g)) t.ok(settings.includes(setting), `${name}: ${setting}`)
    for (const [, file, anchor] of all.matchAll(/\]\((\w+\.md)(?:#([\w-]+))?\)/g)) {
      const headings = [...page(file!).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replace(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      )
      t.ok(!anchor || headings.includes(anchor), `${name}: ${file}#${anchor}`)
    }
    for (const [alert] of all.matchAll(/\bParley[A-Z]\w+/g)) t.ok(alert in ALERTS, `${name}: ${alert}`)
  }
})

t.test('the rules and the runbook are made of the table', async (t) => {
  const test = 'test/monitoring/alerts.test.ts'
  checkWritten(t, 'deploy/monitoring/alerts.yaml', alertRules(), test)
  checkWritten(t, 'docs/alerts.md', runbook(), test)
})
