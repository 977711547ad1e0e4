/** The parts of the operators' page that use no DOM, and the warnings and samples behind it. */
import { join } from 'node:path'
import t from 'tap'
import { configReference } from '../../http/app/settings/mod.ts'
import { Samples } from '../../http/console/ops/samples.ts'
import { warningsOf } from '../../http/console/ops/warnings.ts'
import type { Figures } from '../../http/routes/node_activity.ts'
import type { Json } from '../e2e/client.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { placeOf } = await load('data/places.ts')
const { areaOf, lineOf, nearest, niceTop, spanOf } = await load('ops/chart_lines.ts')
const { changesOf, merged, Overview } = await load('ops/overview.ts')
const { opsPageOf, opsPlace } = await load('ops/places.ts')

const START = Date.parse('2026-11-26T10:00:00.000Z')
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString()
const sample = (seconds: number) => ({ at: at(seconds), values: { sends: seconds }, hot: {} })

const node = (id: string, more = {}) => ({
  id,
  host: 'vm',
  pid: 1,
  started_at: at(0),
  release: '1.0.0',
  leaving: false,
  is_connected: true,
  lease_age_s: 0.5,
  partitions: 4,
  backlog: 0,
  figures: null,
  cpu: null,
  per_second: null,
  ...more,
})

t.test('each page has an address that leads to it', (t) => {
  for (const page of ['cluster', 'backlogs', 'dead-letters', 'audit']) {
    t.equal(opsPageOf(placeOf(opsPlace(page, { a: 'b' })))?.page, page)
  }
  t.equal(opsPageOf(placeOf('#/ops/nonsense')), undefined)
  t.equal(opsPageOf(placeOf('#/ops/tokens/1')), undefined)
  t.equal(opsPlace('dead-letters', { kind: 'x', type: undefined }, '17'), '#/ops/dead-letters/17?kind=x')
  t.end()
})

t.test('samples are kept in order, each once, for 15 minutes', (t) => {
  const kept = merged([sample(0), sample(10)], [sample(10), sample(5), sample(903)])
  t.same(
    kept.map(({ at }: Json) => at),
    [at(5), at(10), at(903)],
  )
  t.end()
})

t.test('a chart shows the shortest time that has all samples', (t) => {
  t.equal(spanOf([]), 120_000)
  t.equal(spanOf([sample(0), sample(130)]), 300_000)
  t.equal(spanOf([sample(0), sample(900)]), 900_000)
  t.same([0, 1, 3, 99, 100, 101, 999_999].map(niceTop), [1, 1, 5, 100, 100, 200, 1_000_000])
  t.end()
})

t.test('a line has a gap where nothing is known', (t) => {
  const box = { width: 100, height: 100, until: 100_000, span: 100_000, top: 10 }
  const points = [0, 10_000, 20_000, 85_000, 90_000, 100_000].map((at) => ({ at, value: 5 }))
  t.equal(lineOf(points, box).split('M').length - 1, 2)
  t.equal(areaOf(points, box).split('Z').length - 1, 2)
  t.equal(nearest(points, 82_000)?.at, 85_000)
  t.equal(nearest(points, 52_000), undefined, 'not across the gap')
  t.notMatch(lineOf([{ at: 100_000, value: 1e9 }], box), /-/, 'a value above the scale stays in the drawing')
  t.end()
})

t.test('nodes that join, leave and hand over are told', (t) => {
  const before = { at: at(0), nodes: [node('aaaaaa'), node('bbbbbb'), node('dddddd', { leaving: true })] }
  const after = { at: at(5), nodes: [node('aaaaaa', { partitions: 6 }), node('cccccc')] }
  t.same(
    changesOf(before, after).map(({ text, is_bad }: Json) => [text, is_bad]),
    [
      ['vm · aaaaaa has 6 partitions, +2', false],
      ['vm · cccccc joined', false],
      ['vm · bbbbbb left', true],
      ['vm · dddddd left', false],
    ],
  )
  t.end()
})

t.test('a failed reading keeps the last one, and says why', async (t) => {
  const reading = { at: at(0), nodes: [node('aaaaaa')], samples: [sample(0)] }
  const answers = [reading, new Error('away')]
  const request = async () => {
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer
  }
  const overview = new Overview({ api: { request } })
  await overview.read()
  await overview.read()
  t.equal(overview.reading.value?.at, at(0))
  t.equal(overview.fault.value?.message, 'away')
})

t.test('rates come from two readings of the same process', (t) => {
  const samples = new Samples()
  const figures = (turns: number) =>
    ({ turns, requests: 0, cpu_seconds: turns / 100, loop_delay_seconds: 0.05 }) as Figures
  const take = (seconds: number, turns: number) =>
    samples.take(new Date(START + seconds * 1000), { sends: 7 }, [{ node: 'a', figures: figures(turns), hot: [] }], [])
  t.same(take(0, 100).rates, {}, 'none for the first')
  const { rates, by_node } = take(10, 300)
  t.equal(rates.turns, 20)
  t.same(by_node.get('a'), { cpu: 0.2, per_second: 20 })
  t.equal(take(20, 5).rates.turns, 0, 'a node that was started again')
  t.same(take(3600, 500).rates, {}, 'nor after a long pause')
  t.equal(samples.after(undefined).length, 1, 'old samples go')
  for (let n = 1; n < 400; n++) take(3600 + n, 500)
  t.equal(samples.after(undefined).length, 250, 'their number has a bound')
  t.equal(samples.after(at(3600 + 397)).length, 2)
  t.end()
})

t.test('warnings: the worst first, each with what to do', (t) => {
  const none = {
    nodes: [node('aaaaaa', { figures: {} })],
    owners: [0, 0],
    backlogs: {},
    rates: {},
    setting_warnings: [],
  }
  t.same(warningsOf(none as never), [])
  const told = warningsOf({
    nodes: [
      node('aaaaaa', { figures: { loop_delay_seconds: 0.4 } }),
      node('bbbbbb', { is_connected: false, release: '1.1.0', lease_age_s: 20 }),
    ],
    owners: [0, null, 1, 0, 0],
    backlogs: { outbox_oldest_s: 40, sends_oldest_s: 4000, dead_letters: 1, channels_unwell: 1000 },
    rates: { faults: 0.2 },
    setting_warnings: ['The nodes use different stores.'],
  } as never)
  t.same(
    told.map(({ level, title }) => `${level} ${title}`),
    [
      'bad The nodes have different settings',
      'bad Node bbbbbb on vm is cut off from the broker',
      'bad Node bbbbbb on vm does not renew its lease',
      'bad The oldest message to be sent has waited 67 min',
      'wary 1 partition of 5 has no owner',
      'wary Node aaaaaa on vm is overloaded: its event loop lags 400 ms',
      'wary The nodes run different releases: 1.0.0, 1.1.0',
      'wary The oldest message between actors has waited 40 s',
      'wary Turns of actors fail and are undone',
      'wary 1 message between actors is parked as dead letters',
      'wary 1,000 or more channels are disconnected',
    ],
  )
  t.ok(told.every(({ advice }) => advice.length > 20))
  t.end()
})

t.test('warnings name settings, addresses and pages that there are, and say where counting stopped', (t) => {
  const backlogs = { dead_letters: 2000, channels_unwell: 1, webhooks_disabled: 1000, tokens_expiring: 1 }
  const told = warningsOf({
    nodes: [node('aaaaaa', { is_connected: false }), node('bbbbbb')],
    owners: [null],
    backlogs: { ...backlogs, deliveries_overdue_s: 1e6, timers_overdue_s: 1e6, documents_overdue_s: 1e6 },
    rates: {},
    setting_warnings: [],
  } as never)
  const words = told.map(({ advice }) => advice).join(' ')
  const reference = configReference()
  t.same(
    (words.match(/\b[A-Z]+_[A-Z_]+\b/g) ?? []).filter((name) => !reference.includes(`\`${name}\``)),
    [],
  )
  t.same(words.match(/GET \/\w+/g), ['GET /ready'])
  t.ok(told.every(({ place }) => place !== null && opsPageOf(placeOf(opsPlace(place)))))
  const of = (start: RegExp) => told.find(({ title }) => start.test(title))
  t.match(of(/webhook.* disabled/), { title: /^1,000 or more webhooks/, place: 'webhooks' })
  t.match(of(/dead letters/), { title: /^2,000 messages/, place: 'dead-letters' })
  t.end()
})
