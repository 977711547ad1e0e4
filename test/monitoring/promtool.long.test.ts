/** Debian's promtool accepts the rules, and evaluates each of them on series with and without the fault. */
import { execFile } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { stringify } from 'yaml'
import { ALERTS } from '../../http/metrics/alerts/table.ts'
import { tempDir } from '../support/mod.ts'
import { CASES } from './alert_series.ts'
import { findPrometheus } from './prometheus.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const RULES = join(root, 'deploy/monitoring/alerts.yaml')
/** Longer than the longest `for`. */
const AFTER = '75m'

const programs = await findPrometheus()
if (!programs) t.pass('promtool is neither installed here nor to be had from Debian')
else {
  const { promtool } = programs

  t.test('promtool finds nothing wrong with the files', async (t) => {
    const { stdout } = await run(promtool, ['check', 'rules', '--lint-fatal', RULES])
    t.match(stdout, `${Object.keys(ALERTS).length} rules found`)
    t.match(
      (await run(promtool, ['check', 'config', join(root, 'deploy/monitoring/prometheus.yaml')])).stdout,
      /SUCCESS/,
    )
  })

  t.test('each alert fires on its fault and stays silent without it', async (t) => {
    t.same(Object.keys(CASES).toSorted(), Object.keys(ALERTS).toSorted())
    const directory = tempDir(t)
    copyFileSync(RULES, join(directory, 'alerts.yaml'))
    const tests = Object.entries(CASES).flatMap(([alertname, { fault, calm, labels = {} }]) => {
      const { severity } = ALERTS[alertname]!
      const firing = { alertname, alertstate: 'firing', severity, ...labels }
      return [
        { name: alertname, series: fault, samples: [{ labels: `ALERTS${selector(firing)}`, value: 1 }] },
        { name: `${alertname} calm`, series: calm, samples: [] },
      ].map(({ name, series, samples }) => ({
        name,
        interval: '1m',
        input_series: Object.entries(series).map(([series, values]) => ({ series, values })),
        promql_expr_test: [
          { expr: `ALERTS${selector({ alertname, alertstate: 'firing' })}`, eval_time: AFTER, exp_samples: samples },
        ],
      }))
    })
    const file = join(directory, 'tests.yaml')
    writeFileSync(file, stringify({ rule_files: ['alerts.yaml'], evaluation_interval: '1m', tests }))
    const outcome = await run(promtool, ['test', 'rules', file]).catch((error) => error)
    t.match(outcome.stdout + outcome.stderr, /SUCCESS/)
    for (const alert of Object.keys(CASES)) t.ok(alert in ALERTS, `${alert} fires on its fault alone`)
  })
}

function selector(labels: Record<string, string>): string {
  return `{${Object.entries(labels).map(([label, value]) => `${label}="${value}"`)}}`
}
