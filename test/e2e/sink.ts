import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Owner } from '../support/mod.ts'
import type { Json } from './client.ts'
import { bodyProblems, cloudEventProblems } from './event_schemas.ts'

/**
 * The test that fails when a body is not as documented. Without `fail`, the sink refuses such a body, so the body never
 * gets through.
 */
export type Judge = Owner & { fail?(message: string): unknown }

export type Received = { path: string; headers: Record<string, string>; raw: string; body: Json; at: number }

/** A status, a status with headers, or no answer at all. */
export type SinkAnswer = number | { status: number; headers: Record<string, string> } | 'hang' | 'reset'

export type Sink = {
  url(path: string): string
  /** Returns all calls to a path, in the order they came. */
  calls(path: string): Received[]
  /** Returns the events at a path, each once, in the order they were made. A slow receiver gets some again. */
  events(path: string): Json[]
  /** Sets the answers to calls at a path. `count` is the number of calls before this one. The default answer is 200. */
  answer(path: string, how: (call: Received, count: number) => SinkAnswer): void
}

/**
 * Starts a receiver of webhooks that keeps every call to an address it gave. Each subscription has a path of its own. The sink checks every
 * body against the catalogue of events, and a difference fails the test.
 */
export async function startSink(t: Judge, host = '127.0.0.1'): Promise<Sink> {
  const calls = new Map<string, Received[]>()
  const answers = new Map<string, (call: Received, count: number) => SinkAnswer>()
  const problems = new Set<string>()
  const given = new Set<string>()
  const of = (path: string) => {
    const known = calls.get(path) ?? []
    calls.set(path, known)
    return known
  }
  const server = createServer(async (request, response) => {
    const raw = await textOf(request)
    const path = (request.url ?? '/').slice(1)
    // A server that had this port before is asked by others still: a provider by the channels of the file before.
    if (![...given].some((one) => path.startsWith(one))) return void response.writeHead(404).end()
    const headers = request.headers as Record<string, string>
    const call = { path, headers, raw, body: JSON.parse(raw), at: Date.now() }
    for (const problem of problemsOf(call)) {
      if (!t.fail) return void response.writeHead(500).end(problem)
      if (!problems.has(problem)) t.fail(`a webhook is not as documented: ${problem}`)
      problems.add(problem)
    }
    const before = of(path).length
    of(path).push(call)
    const answer = answers.get(path)?.(call, before) ?? 200
    if (answer === 'hang') return
    if (answer === 'reset') return void request.socket.resetAndDestroy()
    const { status, headers: sent } = typeof answer === 'number' ? { status: answer, headers: {} } : answer
    response.writeHead(status, sent).end('thanks')
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const base = `http://${host}:${(server.address() as AddressInfo).port}`
  return {
    url(path) {
      given.add(path)
      return `${base}/${path}`
    },
    calls: (path) => of(path),
    events: (path) => eventsIn(of(path)),
    answer: (path, how) => void answers.set(path, how),
  }
}

function eventsIn(calls: Received[]): Json[] {
  const once = new Map(calls.map(({ body }) => [body.id as string, body]))
  return [...once].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, event]) => event)
}

function problemsOf({ headers, body, raw }: Received): string[] {
  const is_cloud_event = headers['content-type']?.startsWith('application/cloudevents+json')
  const problems = is_cloud_event ? cloudEventProblems(headers, raw) : bodyProblems(body)
  const is_named = headers['x-svc-event'] === body.type
  return [...problems, ...(is_named ? [] : [`${body.type} came as ${headers['x-svc-event']}`])]
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
