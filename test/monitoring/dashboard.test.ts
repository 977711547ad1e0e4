import t from 'tap'
import { ROWS } from '../../http/metrics/dashboard/rows.ts'
import type { Metric } from '../../http/metrics/metric.ts'
import { METRICS } from '../../http/metrics/table.ts'
import { dashboard } from './dashboard_file.ts'
import { labelsIn, metricsIn } from './expression.ts'
import { checkWritten } from './written.ts'

const known = METRICS as Record<string, Metric>

t.test('panels ask for metrics and labels of the table, and only for those of the chosen job', async (t) => {
  for (const { panels } of ROWS) {
    for (const { title, queries } of panels) {
      for (const { expr, legend } of queries) {
        const used = metricsIn(expr)
        t.ok(used.length > 0 && used.every((name) => name in known), `${title}: ${used}`)
        t.match(expr, 'job=~"$job"', title)
        const labels = new Set(used.flatMap((name) => Object.keys(known[name]?.labels ?? {})))
        const asked = [...labelsIn(expr), ...[...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!)]
        const usual = ['job', 'instance', 'process', 'le']
        for (const label of asked) t.ok(usual.includes(label) || labels.has(label), `${title}: ${label}`)
      }
    }
  }
})

t.test('panels have a place of their own on the grid of 24 columns, and a description', async (t) => {
  const { panels } = dashboard()
  const taken = new Set<string>()
  for (const panel of panels as {
    title: string
    type: string
    description?: string
    gridPos: Record<string, number>
  }[]) {
    const { x = 0, y = 0, w = 0, h = 0 } = panel.gridPos
    t.ok(x + w <= 24, panel.title)
    for (let column = x; column < x + w; column++) {
      for (let line = y; line < y + h; line++) {
        t.notOk(taken.has(`${column},${line}`), panel.title)
        taken.add(`${column},${line}`)
      }
    }
    if (panel.type !== 'row') t.match(panel.description, /: [A-Z\d]/, panel.title)
  }
})

t.test('the file is made of the rows', async (t) => {
  const text = `${JSON.stringify(dashboard(), null, 2)}\n`
  checkWritten(t, 'deploy/monitoring/dashboard.json', text, 'test/monitoring/dashboard.test.ts')
})
