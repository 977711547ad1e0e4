import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Metric } from '../../http/metrics/metric.ts'
import { METRIC_GROUPS, METRICS } from '../../http/metrics/table.ts'
import { metricsPage } from './metrics_page.ts'
import { checkWritten } from './written.ts'

const root = join(import.meta.dirname, '../..')
const all = Object.entries<Metric>(METRICS)

t.test('names follow the conventions of Prometheus', async (t) => {
  for (const [name, { type, unit, labels = {}, semantic, buckets }] of all) {
    t.match(name, /^[a-z][a-z0-9_]*$/)
    t.equal(name.endsWith('_total'), type === 'counter', `${name}: counters alone end with _total`)
    t.notMatch(name, /_(?:ms|milliseconds|minutes|hours|kb|mb|mib|count_total)(?:_|$)/, `${name} has a base unit`)
    const is_usual = /^(?:process|nodejs)_/.test(name)
    if (!is_usual) {
      const ends = new RegExp(`_${unit}(?:_total)?$`)
      if (unit === '') t.notMatch(name, /_(?:seconds|bytes)(?:_total)?$/, `${name} has a unit`)
      else t.match(name, ends, `${name} ends with its unit`)
      t.equal(name.startsWith('parley_'), semantic === undefined, `${name}: a usual name, or ours`)
    }
    if (semantic && !is_usual) t.equal(name.replace(/_(?:seconds|bytes)$/, ''), semantic.replaceAll('.', '_'))
    for (const label of Object.keys(labels)) t.match(label, /^[a-z][a-z0-9_]*$/, `${name}{${label}}`)
    t.notOk('le' in labels || 'process' in labels || 'project' in labels, name)
    if (buckets)
      t.same(
        buckets,
        buckets.toSorted((a, b) => a - b),
      )
  }
})

t.test('each metric is described once, by a sentence, and registered by its owner', async (t) => {
  const names = METRIC_GROUPS.flatMap(({ metrics }) => Object.keys(metrics))
  t.same(names.toSorted(), Object.keys(METRICS).toSorted())
  t.equal(new Set(names).size, names.length)
  for (const { owner, metrics } of METRIC_GROUPS) {
    const source = readFileSync(join(root, owner), 'utf8')
    for (const [name, { help }] of Object.entries(metrics)) {
      t.match(help, /^(?:\d|[A-Z]|Node).*\.$/, name)
      if (!/^(?:process|nodejs)_/.test(name)) t.ok(source.includes(`'${name}'`), `${owner} registers ${name}`)
    }
  }
})

t.test('the reference page is made of the table', async (t) => {
  checkWritten(t, 'docs/metrics.md', metricsPage(), 'test/monitoring/table.test.ts')
})
