/**
 * One trace from a client's request over two nodes to the receiver of its webhooks, as a collector gets it by OTLP; and a
 * collector that fails.
 */
import t from 'tap'
import { eventually } from './client.ts'
import { startCluster } from './cluster.ts'
import { delayCallbacks, made, makeTenant, text } from './fixture.ts'
import { type CollectedSpan, startCollector } from './otlp_collector.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const ABOVE = '00f067aa0ba902b7'
const NAMES = [
  'POST /v1/messages',
  'ask project request',
  'turn project request',
  'tell channel dispatch',
  'turn channel dispatch',
  'send whatsapp',
  'turn channel attempted',
  'tell project messages_accepted',
  'turn project messages_accepted',
  'tell subscription deliver',
  'commit',
  'POST',
]

const collector = await startCollector(t)
const { nodes, world, ownerOf } = await startCluster(t, { config: { traces_url: collector.url, traces_sample: 0 } })
const { sink } = world
const tenant = await makeTenant(world)
const owner = await eventually('an owner of the project', () => ownerOf(`project/${tenant.project_id}`))
const other = nodes.find(({ id }) => id !== owner.id)!

/** Resolves to the spans of a trace once none has come for a while and `isWhole` says that it has all. */
const trace = (trace_id: string, isWhole: (spans: CollectedSpan[]) => boolean) =>
  eventually(`the whole trace ${trace_id}`, () => {
    const spans = collector.spans.filter((span) => span.trace_id === trace_id)
    return isWhole(spans) && spans
  })

const send = (to: string, headers: Record<string, string>) =>
  other.call(tenant.token, 'POST', 'messages', { channel: 'whatsapp', to, message: text('Hi') }, { headers })

t.test('one trace goes from the request on one node over the owner to the receiver', async (t) => {
  await tenant.subscribe('traced', ['whatsapp.message.sent'])
  await tenant.writes('+15557100001', 'Hello')
  const headers = { traceparent: `00-${TRACE}-${ABOVE}-01`, 'x-request-id': 'traced-1' }
  await delayCallbacks(world, tenant)
  t.equal((await send('+15557100001', headers)).status, 202)
  const [call] = await eventually('the event', () => sink.calls('traced').length > 0 && sink.calls('traced'))
  t.equal(call!.headers['x-request-id'], 'traced-1')
  const [, trace_id, span_id, flags] = call!.headers.traceparent!.split('-')
  t.strictSame([trace_id, flags], [TRACE, '01'])

  const spans = await trace(TRACE, (spans) => NAMES.every((name) => spans.some((span) => span.name === name)))
  const by_id = new Map(spans.map((span) => [span.span_id, span]))
  const named = (name: string) => spans.find((span) => span.name === name)!
  const root = named('POST /v1/messages')
  t.equal(root.parent_id, ABOVE, 'it continues the trace of the client')
  t.equal(root.kind, 2)
  t.match(root.attributes, { 'http.route': '/v1/messages', 'http.response.status_code': '202' })
  for (const span of spans) {
    t.ok(span === root || by_id.has(span.parent_id), `${span.name} has a parent that is there`)
    t.ok(span.began <= span.ended, `${span.name} ends after it began`)
    t.equal(span.attributes['parley.request_id'], 'traced-1', span.name)
    t.equal(span.status, 0, `${span.name} has no error`)
  }
  t.equal(by_id.get(span_id!)?.name, 'POST', 'the receiver gets the span of the attempt as its parent')
  t.equal(root.resource['service.name'], 'parley')
  t.equal(root.resource['service.instance.id'], other.id)
  t.equal(named('turn project request').resource['service.instance.id'], owner.id)
  const above = (name: string): string[] => {
    const names: string[] = []
    for (let at = by_id.get(named(name).parent_id); at; at = by_id.get(at.parent_id)) names.push(at.name)
    return names
  }
  t.strictSame(above('turn project request'), ['ask project request', 'POST /v1/messages'])
  t.strictSame(above('send whatsapp').slice(-4), [
    'tell channel dispatch',
    'turn project request',
    'ask project request',
    'POST /v1/messages',
  ])
  t.ok(above('POST').includes('turn project messages_accepted'), 'the delivery is below the turn that made its event')
  for (const { attributes } of spans)
    t.notMatch(JSON.stringify(attributes), /15557100001|Hi/, 'no contents, no addresses')
})

t.test('a request that is not recorded has a span when it fails, and tells the receiver so', async (t) => {
  await tenant.subscribe('failing', ['whatsapp.message.failed'])
  const { phone_number_id } = tenant.number
  await made(world.control('POST', 'faults', { match: { phone_number_id }, error: { code: 131009 }, times: 1 }))
  t.equal((await send('+15557100001', { 'x-request-id': 'failing-1' })).status, 202)
  const [call] = await eventually('the event', () => sink.calls('failing').length > 0 && sink.calls('failing'))
  const [, trace_id, , flags] = call!.headers.traceparent!.split('-')
  t.equal(flags, '00')
  const spans = await trace(trace_id!, (spans) => spans.length > 0)
  t.match(spans, [{ name: 'send whatsapp', status: 2, attributes: { 'parley.request_id': 'failing-1' } }])
  t.equal(spans.length, 1)
})

t.test('a callback of a provider does not continue what a stranger sends with it', async (t) => {
  const sent = `00-${'e'.repeat(32)}-${ABOVE}-01`
  await world.http('POST', `${other.base_url}/providers/whatsapp/${tenant.number.channel_id}`, {
    json: {},
    headers: { traceparent: sent },
  })
  await world.http('GET', `${other.base_url}/v1/me`, {
    token: `svc_pk_${'x'.repeat(38)}`,
    headers: { traceparent: sent },
  })
  t.equal((await send('+15557100001', { traceparent: `00-${'f'.repeat(32)}-${ABOVE}-01` })).status, 202)
  await trace('f'.repeat(32), (spans) => spans.some(({ name }) => name === 'send whatsapp'))
  t.notOk(collector.spans.some(({ trace_id }) => trace_id === 'e'.repeat(32)))
})

t.test('a collector that fails costs spans, and nothing else', async (t) => {
  collector.status = 503
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      send('+15557100001', { traceparent: `00-${String(n).padStart(32, '1')}-${ABOVE}-01` }),
    ),
  )
  t.ok(answers.every(({ status }) => status === 202))
  for (const { body } of answers) await tenant.message(body.id, 'read')
  collector.status = 200
  t.equal((await send('+15557100001', { traceparent: `00-${'c'.repeat(32)}-${ABOVE}-01` })).status, 202)
  await trace('c'.repeat(32), (spans) => spans.some(({ name }) => name === 'send whatsapp'))
})
