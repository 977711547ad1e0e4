/** An assistant service: a full HTTP server that keeps the records it is told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Owner } from './owner.ts'

// biome-ignore lint/suspicious/noExplicitAny: records are looked at field by field in the tests.
type Json = any

export type Told = { method: string; path: string; key: string | undefined; body: Json }

/** The manner of its answers. `hang` never answers; `cut` ends the connection; `flood` answers without an end. */
export type Manner =
  | { status: number; headers?: Record<string, string>; body?: string; hold?: Promise<unknown> }
  | 'hang'
  | 'cut'
  | 'flood'
  | ((told: Told) => Manner | undefined)

export type TestAssistantService = {
  url: string
  /** All calls so far. */
  calls: Told[]
  /** The records by their path, as last told. */
  records: Map<string, Json>
  /** The most calls that were open at one time. */
  max_open: number
  /** Undefined confirms everything. */
  answers(manner: Manner | undefined): void
  close(): Promise<void>
}

export async function startAssistantService(t: Owner): Promise<TestAssistantService> {
  const calls: Told[] = []
  const records = new Map<string, Json>()
  let manner: Manner | undefined
  let open = 0

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    open += 1
    service.max_open = Math.max(service.max_open, open)
    response.once('close', () => {
      open -= 1
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const told: Told = {
      method: request.method!,
      path: request.url!,
      key: request.headers.authorization,
      body: text === '' ? undefined : JSON.parse(text),
    }
    calls.push(told)
    const now = typeof manner === 'function' ? manner(told) : manner
    if (now === undefined) {
      if (told.method === 'DELETE') records.delete(told.path)
      else records.set(told.path, told.body)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    }
    if (typeof now === 'function' || now === 'hang') return
    if (now === 'cut') return void request.socket.destroy()
    if (now === 'flood') return flood(response)
    await now.hold
    response.writeHead(now.status, now.headers).end(now.body ?? '{}')
  }

  const server = createServer((request, response) => void take(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const service: TestAssistantService = {
    url: `http://127.0.0.1:${port}/api`,
    calls,
    records,
    max_open: 0,
    answers(next) {
      manner = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  t.teardown(() => service.close())
  return service
}

function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = 'x'.repeat(16 * 1024)
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more)
  }
  response.write('{"x":"')
  more()
}
