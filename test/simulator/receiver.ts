import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// biome-ignore lint/suspicious/noExplicitAny: what a provider sends is looked at field by field in the tests.
export type Json = any

export type Received = { raw: string; signature: string; headers: IncomingHttpHeaders; body: Json }

export type Receiver = {
  url: string
  calls: Received[]
  /** Returns every message and status received, in order. */
  messages(): Json[]
  statuses(): Json[]
  /** Returns the statuses of one message, in order. */
  statusesOf(id: string): Json[]
  /** The answers to the next calls, and 200 after them. */
  answers: (number | 'hang')[]
  close(): Promise<void>
}

/** Starts a webhook receiver as a client of WhatsApp runs one. It keeps every call. */
export async function startReceiver(verify_token: string): Promise<Receiver> {
  const calls: Received[] = []
  const answers: (number | 'hang')[] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://receiver')
    if (request.method === 'GET') {
      const good = url.searchParams.get('hub.verify_token') === verify_token
      response.writeHead(good ? 200 : 403).end(good ? url.searchParams.get('hub.challenge') : 'no')
      return
    }
    const raw = await text(request)
    const answer = answers.shift() ?? 200
    if (answer === 'hang') return
    if (answer === 200)
      calls.push({
        raw,
        signature: String(request.headers['x-hub-signature-256']),
        headers: request.headers,
        body: JSON.parse(raw),
      })
    response.writeHead(answer).end('thanks')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const values = () =>
    calls.flatMap(({ body }) => body.entry.flatMap((entry: Json) => entry.changes)).map((c) => c.value)
  const statuses = () => values().flatMap((value) => value.statuses ?? [])
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    calls,
    answers,
    messages: () => values().flatMap((value) => value.messages ?? []),
    statuses,
    statusesOf: (id) => statuses().filter((status) => status.id === id),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Waits until `done` holds. Fails after two minutes, far beyond every passing run. */
export async function until(what: string, done: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(5)) if (await done()) return
  throw new Error(`It never happened: ${what}`)
}
