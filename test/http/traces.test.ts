/** The rules by which spans are recorded: by chance, for clients that record their own traces, and for trouble. */
import t from 'tap'
import type { EndedSpan } from '../../http/app/traces/span_export.ts'
import { readTraceparent, traceOf } from '../../http/app/traces/trace_context.ts'
import { Traces } from '../../http/app/traces/traces.ts'
import { SecondShares } from '../../http/server/limits/second_shares.ts'

const TRACE = 'ab'.repeat(16)
const SENT = `00-${TRACE}-${'cd'.repeat(8)}-01`
const start = { name: 'POST /v1/messages', kind: 'server' as const }

function open({ sample = 0, slow_ms = 1000 } = {}) {
  const spans: EndedSpan[] = []
  const traces = new Traces({ sample, slow_ms, add: (span) => spans.push(span) })
  const request = (changes: Partial<Parameters<Traces['request']>[0]> = {}) => {
    traces.chooses(changes.traceparent ?? '')
    return traces.request({
      request_id: 'req_1',
      traceparent: '',
      is_known: true,
      project_id: 'p1',
      start,
      ...changes,
    })
  }
  return { traces, spans, request }
}

t.test('a context that is not one of version 00 is ignored', async (t) => {
  const wrong = [
    undefined,
    '',
    'garbage',
    `01-${TRACE}-${'cd'.repeat(8)}-01`,
    `00-${'0'.repeat(32)}-${'cd'.repeat(8)}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${'cd'.repeat(8)}-01`,
    `${SENT}-more`,
    `${SENT}\n`,
  ]
  for (const text of wrong) t.equal(readTraceparent(text), undefined, String(text))
  t.strictSame(readTraceparent(SENT), { trace_id: TRACE, parent_id: 'cd'.repeat(8), is_recorded: true })
  t.equal(readTraceparent(`${SENT.slice(0, -2)}00`)!.is_recorded, false)
  t.equal(readTraceparent(`${SENT.slice(0, -2)}03`)!.is_recorded, true, 'further flags do not matter')
})

t.test('a trace without a context of a client has the id of its request', async (t) => {
  t.equal(traceOf({ request_id: 'a' }).trace_id, traceOf({ request_id: 'a' }).trace_id)
  t.not(traceOf({ request_id: 'a' }).trace_id, traceOf({ request_id: 'b' }).trace_id)
  t.match(traceOf({ request_id: 'a' }).trace_id, /^[0-9a-f]{32}$/)
  t.not(traceOf(undefined).trace_id, traceOf(undefined).trace_id)
})

t.test('a request of the sample is recorded, and its messages carry the trace', async (t) => {
  const { request, spans, traces } = open({ sample: 1 })
  const span = request()
  const { trace_id } = traceOf({ request_id: 'req_1' })
  t.match(span.cause, { request_id: 'req_1', traceparent: new RegExp(`^00-${trace_id}-[0-9a-f]{16}-01$`) })
  const inner = traces.inside(span.cause, { name: 'commit', kind: 'internal' })!
  inner.end()
  span.end({ attributes: { 'http.response.status_code': 202 } })
  t.equal(spans.length, 2)
  const [commit, root] = spans
  t.match(commit, { trace_id, parent_id: root!.span_id, error: undefined })
  t.match(root, { trace_id, parent_id: undefined, name: 'POST /v1/messages' })
  t.strictSame(root!.attributes, {
    'http.response.status_code': 202,
    'parley.request_id': 'req_1',
    'parley.project_id': 'p1',
  })
  t.ok(root!.ended_at >= root!.began_at)
})

t.test('a second has a bounded number of traces by chance', async (t) => {
  const { traces } = open({ sample: 1 })
  let chosen = 0
  for (let i = 0; i < 5000; i++) if (traces.chooses('')) chosen++
  t.ok(chosen >= 50 && chosen <= 150, `${chosen} in about a second`)
  const { traces: none } = open({ sample: 0 })
  t.equal(none.chooses(''), false)
  t.equal(none.chooses(SENT), true, 'a client may record its own')
})

t.test('other requests cost their messages nothing, and are recorded when they fail or are slow', async (t) => {
  const { request, spans, traces } = open()
  const span = request()
  t.strictSame(span.cause, { request_id: 'req_1' })
  t.equal(traces.inside(span.cause, { name: 'commit', kind: 'internal' }), undefined)
  span.end()
  t.equal(spans.length, 0)
  request().end({ error: '500' })
  const slow = { ...start, began: performance.now() - 2000 }
  request({ start: slow }).end()
  request({ start: slow }).end({ may_be_slow: true })
  const call = traces.call(span.cause, { name: 'POST', kind: 'client', project_id: 'p1' })
  t.match(call.traceparent, /-00$/, 'the called learns that nothing is recorded')
  call.end({ error: 'timeout' })
  t.match(spans, [{ error: '500' }, { error: undefined }, { error: 'timeout' }])
  t.equal(spans.length, 3)
  t.equal(new Set(spans.map(({ trace_id }) => trace_id)).size, 1, 'all of one request belong to one trace')
})

t.test('a known client continues its own trace, and a stranger does not', async (t) => {
  const { request, spans } = open()
  request({ traceparent: SENT }).end()
  t.match(spans, [{ trace_id: TRACE, parent_id: 'cd'.repeat(8) }])
  const silent = request({ traceparent: `${SENT.slice(0, -2)}00` })
  t.match(silent.cause.traceparent, new RegExp(`^00-${TRACE}-.*-00$`), 'one that is not recorded is carried on')
  silent.end()
  const stranger = request({ traceparent: SENT, is_known: false, project_id: '' })
  t.strictSame(stranger.cause, { request_id: 'req_1' })
  stranger.end()
  t.equal(spans.length, 1)
})

t.test('clients and failures of one project leave room for those of others', async (t) => {
  const { request, spans } = open()
  for (let i = 0; i < 1000; i++) request({ traceparent: SENT }).end()
  t.ok(spans.length >= 20 && spans.length <= 60, `${spans.length} traces of one client in about a second`)
  spans.length = 0
  for (let i = 0; i < 1000; i++) request().end({ error: '500' })
  t.ok(spans.length >= 50 && spans.length <= 150, `${spans.length} failures of one project in about a second`)
  spans.length = 0
  request({ project_id: 'p2' }).end({ error: '500' })
  t.equal(spans.length, 1)
})

t.test('the places of a second are shared out by project', async (t) => {
  let now = 5000
  const limit = new SecondShares({ total: 5, each: 2 }, () => now)
  const take = (project: string, times: number) => Array.from({ length: times }, () => limit.take(project))
  t.strictSame(take('a', 3), [true, true, false])
  t.strictSame(take('b', 3), [true, true, false])
  t.strictSame(take('c', 2), [true, false], 'the last place')
  now = 6000
  t.strictSame(take('a', 1), [true])
})

t.test('a trace with many spans leaves room for those of others', async (t) => {
  const { traces } = open()
  const inside = (trace_id: string) =>
    traces.inside({ traceparent: `00-${trace_id}-${'cd'.repeat(8)}-01` }, { name: 'commit', kind: 'internal' })
  let taken = 0
  for (let i = 0; i < 5000; i++) if (inside(TRACE)) taken++
  t.ok(taken >= 100 && taken <= 300, `${taken} in about a second`)
  t.ok(inside('12'.repeat(16)), 'another trace has its own')
})
