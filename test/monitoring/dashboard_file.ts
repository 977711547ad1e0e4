/** Makes `deploy/monitoring/dashboard.json`, in Grafana's classic model, of the rows of the dashboard. */
import type { Panel, Row } from '../../http/metrics/dashboard/panel.ts'
import { ROWS } from '../../http/metrics/dashboard/rows.ts'
import type { Metric } from '../../http/metrics/metric.ts'
import { METRICS } from '../../http/metrics/table.ts'
import { metricsIn } from './expression.ts'

/** Columns of Grafana's grid. */
const WIDTH = 24
const SIZES = { graph: { w: 8, h: 8 }, stat: { w: 4, h: 4 } } as const
const SOURCE = { type: 'prometheus', uid: '$datasource' } as const

export function dashboard() {
  return {
    uid: 'parley',
    title: 'Parley',
    description: 'Made of http/metrics/dashboard/. docs/metrics.md explains the metrics, docs/alerts.md the alerts.',
    tags: ['parley'],
    timezone: 'browser',
    editable: true,
    graphTooltip: 1,
    schemaVersion: 39,
    version: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', refresh: 1, hide: 0 },
        {
          name: 'job',
          label: 'Job',
          type: 'query',
          datasource: SOURCE,
          query: { query: 'label_values(parley_build_info, job)', refId: 'job' },
          refresh: 2,
          multi: true,
          includeAll: true,
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    annotations: { list: [] },
    links: [],
    panels: placed(ROWS),
  }
}

function placed(rows: readonly Row[]) {
  const panels: object[] = []
  let y = 0
  let id = 0
  for (const { title, panels: own } of rows) {
    panels.push({ id: ++id, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: WIDTH, h: 1 }, panels: [] })
    y++
    let x = 0
    let height = 0
    for (const panel of own) {
      const { w, h } = SIZES[panel.kind]
      // A row of small panels ends where large ones begin.
      if (x + w > WIDTH || (height > 0 && height !== h)) {
        y += height
        x = 0
      }
      height = h
      panels.push({ id: ++id, ...drawn(panel), gridPos: { x, y, w, h } })
      x += w
    }
    y += height
  }
  return panels
}

function drawn({ title, kind, unit, queries, bad_above }: Panel) {
  const targets = queries.map(({ expr, legend }, at) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + at),
    datasource: SOURCE,
    expr,
    legendFormat: legend,
    range: true,
  }))
  const green = { color: 'green', value: null }
  const steps = bad_above === undefined ? [green] : [green, { color: 'red', value: bad_above + 1e-9 }]
  return {
    type: kind === 'stat' ? 'stat' : 'timeseries',
    title,
    description: helpOf(queries.map(({ expr }) => expr)),
    datasource: SOURCE,
    targets,
    fieldConfig: { defaults: { unit, min: 0, thresholds: { mode: 'absolute', steps } }, overrides: [] },
    options:
      kind === 'stat'
        ? {
            colorMode: 'value',
            graphMode: 'area',
            reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
          }
        : {
            legend: { showLegend: true, displayMode: 'list', placement: 'bottom' },
            tooltip: { mode: 'multi', sort: 'desc' },
          },
  }
}

/** The sentences of the metrics, which Grafana shows beside the title. */
function helpOf(exprs: string[]): string {
  const names = [...new Set(exprs.flatMap(metricsIn))]
  return names.map((name) => `${name}: ${(METRICS as Record<string, Metric>)[name]?.help ?? ''}`).join('\n\n')
}
