/** The gate in front of the models: a bounded number of calls at once, in turns between projects. */
import t from 'tap'
import type { ModelAnswer, ModelFailure } from '../../../actors/models/mod.ts'
import { completion, entry, modelServer, models } from './model_server.ts'

const question = { model: 'house', messages: [{ role: 'user' as const, parts: [] }], tools: [], max_output_tokens: 100 }

t.test('calls at once, and turns between projects', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)], 4)
  const open = new Set<() => void>()
  let most = 0
  server.answer((response) => {
    open.add(() => response.end(completion({})))
    most = Math.max(most, open.size)
  })
  const order: string[] = []
  const signal = new AbortController().signal
  const ask = async (owner: string): Promise<ModelAnswer | ModelFailure> => {
    const answer = await all.ask(question, { owner, signal, deadline_ms: 600_000 })
    order.push(owner)
    return answer
  }
  const calls = Array.from({ length: 200 }, () => ask('large'))
  calls.push(ask('small'))
  while (order.length < calls.length) {
    for (const end of [...open]) {
      open.delete(end)
      end()
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const answer of await Promise.all(calls)) if (answer.kind !== 'answer') t.fail(answer.message)
  t.ok(most <= 4, `${most} at once`)
  t.ok(order.indexOf('small') < 8, `the project of one call was number ${order.indexOf('small')}`)
})

t.test('a thousand waiting conversations cost little, and leave when their time is over', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)], 1)
  server.answer(() => undefined)
  const caller = new AbortController()
  const first = all.ask(question, { owner: 'first', signal: caller.signal, deadline_ms: 600_000 })
  while (server.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  const before = process.memoryUsage().heapUsed
  const waiting = Array.from({ length: 1000 }, (_, n) =>
    all.ask(question, { owner: `project ${n % 50}`, signal: new AbortController().signal, deadline_ms: 2000 }),
  )
  const each = (process.memoryUsage().heapUsed - before) / 1000
  t.ok(each < 16_384, `${Math.round(each)} bytes each`)
  const outcomes = await Promise.all(waiting)
  t.ok(outcomes.every((one) => one.kind === 'retry' && one.code === 'busy' && !one.maybe_paid && one.status === null))
  t.equal(server.asked.length, 1, 'nothing of them left')
  const gone = new AbortController()
  const withdrawn = all.ask(question, { owner: 'other', signal: gone.signal, deadline_ms: 600_000 })
  gone.abort()
  t.match(await withdrawn, { kind: 'retry', code: 'aborted', maybe_paid: false })
  caller.abort()
  t.match(await first, { code: 'aborted', maybe_paid: true })
  server.answer((response) => response.end(completion({})))
  const signal = new AbortController().signal
  t.match(await all.ask(question, { owner: 'other', signal, deadline_ms: 60_000 }), { kind: 'answer' })
})

for (const [size, bytes, count, bound] of [
  ['large', 1024 * 1024, 12, 4],
  ['small', 10, 100, 64],
] as const) {
  t.test(`few questions with ${size} files are under way at once`, async (t) => {
    const server = await modelServer(t)
    const all = models(t, [entry(server.url)], 1024)
    const open = new Set<() => void>()
    let most = 0
    let ended = 0
    server.answer((response, body) => {
      const end = () => response.end(completion({}))
      if (!JSON.stringify(body).includes('image_url')) return end()
      open.add(end)
      most = Math.max(most, open.size)
    })
    const signal = new AbortController().signal
    const file = { type: 'file' as const, media_type: 'image/png', data: new Uint8Array(bytes) }
    const calls = Array.from({ length: count }, async (_, n) => {
      const messages = [{ role: 'user' as const, parts: [file] }]
      const answer = await all.ask({ ...question, messages }, { owner: `p${n}`, signal, deadline_ms: 600_000 })
      ended++
      return answer
    })
    // Others pass them.
    t.match(await all.ask(question, { owner: 'small', signal, deadline_ms: 600_000 }), { kind: 'answer' })
    while (ended < calls.length) {
      for (const end of open) {
        open.delete(end)
        end()
      }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    for (const answer of await Promise.all(calls)) t.match(answer, { kind: 'answer' })
    t.ok(most > 1 && most <= bound, `${most} at once`)
  })
}

t.test('a call that waited for most of its time is not begun', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)], 1)
  const first = Promise.withResolvers<() => void>()
  server.answer((response) => first.resolve(() => response.end(completion({}))))
  const signal = new AbortController().signal
  const holding = all.ask(question, { owner: 'p', signal, deadline_ms: 600_000 })
  const end = await first.promise
  const begun = performance.now()
  const waiting = all.ask(question, { owner: 'p', signal, deadline_ms: 10_000 })
  // Turns the clock to the last quarter, without waiting for it.
  t.intercept(performance, 'now', { value: () => begun + 8000 })
  end()
  t.match(await holding, { kind: 'answer' })
  t.match(await waiting, { kind: 'retry', code: 'busy', maybe_paid: false })
  t.equal(server.asked.length, 1)
})
