/** The metrics of a running node are those of the table. */
import t from 'tap'
import type { Metric } from '../../http/metrics/metric.ts'
import { METRICS } from '../../http/metrics/table.ts'
import { readPage } from '../monitoring/exposed.ts'
import { eventually } from './client.ts'
import { made, makeTenant, startWorld } from './fixture.ts'

const world = await startWorld(t)
const tenant = await makeTenant(world)
const page = async () => readPage((await world.http('GET', world.metrics_url())).text)
const figure = async (name: string, labels: Record<string, string> = {}) =>
  (await page())
    .get(name)
    ?.samples.find((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))?.value

t.test('a node exposes exactly the metrics of the table, with labels from their sets', async (t) => {
  await tenant.subscribe('metrics', ['whatsapp.message.sent'])
  const { id } = await made(tenant.send('+15550180000'))
  await tenant.message(id, 'read')
  await eventually('a delivery is counted', () => figure('parley_deliveries_total', { outcome: 'success' }))
  const found = await page()
  t.same([...found.keys()].toSorted(), Object.keys(METRICS).toSorted())
  for (const [name, metric] of Object.entries<Metric>(METRICS)) {
    const { type, help, samples } = found.get(name)!
    t.same([type, help], [metric.type, metric.help], name)
    if (!metric.is_rare) t.ok(samples.length > 0, `${name} has a series`)
    const { labels = {} } = metric
    for (const sample of samples) {
      const { le: _, ...own } = sample.labels
      for (const [label, value] of Object.entries(own)) {
        const known = labels[label]
        t.ok(known, `${name} describes ${label}`)
        if (Array.isArray(known)) t.ok(known.includes(value), `${name}{${label}="${value}"} is in its set`)
      }
    }
  }
})

t.test('the figures that one is woken for', async (t) => {
  t.equal(await figure('parley_ready'), 1)
  for (const check of ['database', 'broker', 'partitions', 'lane', 'secret', 'node']) {
    t.equal(await figure('parley_readiness_check', { check }), 1, check)
  }
  t.equal(await figure('parley_build_info', { node_version: process.version }), 1)
  t.ok((await figure('db_client_connection_max'))! >= 2)
  t.equal(await figure('db_client_connection_pending_requests'), 0)
  t.equal(await figure('parley_channels', { status: 'inactive' }), 0)
  const connected = { status: 'connected' }
  await eventually('the channel is counted', async () => (await figure('parley_channels', connected)) === 1)
  t.equal(await figure('parley_partitions_unowned'), 0)
  t.equal(await figure('parley_nodes'), 1)
})

t.test('messages and deliveries that wait have a number and an age', async (t) => {
  world.sink.answer('away', () => 500)
  await tenant.subscribe('away', ['crm.contact.created'])
  await made(tenant.api('POST', 'contacts', { channel_type: 'telegram', user_id: 'waiting' }))
  const waits = { state: 'retrying' }
  const counted = async () => {
    const dead = (await figure('parley_deliveries_dead'))!
    return dead + (await figure('parley_deliveries_waiting', waits))! >= 1
  }
  await eventually('the delivery is counted', counted)
  t.ok((await figure('parley_sends_waiting'))! >= 0)
  t.ok((await figure('parley_sends_waiting_oldest_seconds'))! >= 0)
})
