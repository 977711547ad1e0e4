/**
 * A load balancer before the nodes of a cluster: it asks each node whether it is ready, and passes requests to the
 * ready ones in turn. The balancer does not repeat a request: one without an answer in time is a 503.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import type { Owner } from '../support/mod.ts'

export type Front = {
  url: string
  /** The nodes that were ready at the last question. */
  ready(): string[]
}

const CHECK_MS = 250
const CHECK_WITHIN_MS = 1000
const ANSWER_WITHIN_MS = 5000

export async function startTestServer(t: Owner, urls: Record<string, string>): Promise<Front> {
  const ready = new Set<string>()
  const agents = new Map<string, Agent>()
  const agentOf = (node: string) => {
    const agent = agents.get(node) ?? new Agent({ connections: 64, connect: { timeout: CHECK_WITHIN_MS } })
    agents.set(node, agent)
    return agent
  }

  async function check(node: string): Promise<void> {
    try {
      // A connection of its own shows the network of now, not of before.
      const dispatcher = new Agent({ connect: { timeout: CHECK_WITHIN_MS } })
      const signal = AbortSignal.timeout(CHECK_WITHIN_MS)
      const answer = await request(`${urls[node]}/ready`, { dispatcher, signal })
        .then(async ({ statusCode, body }) => {
          await body.dump()
          return statusCode
        })
        .finally(() => dispatcher.destroy())
      if (answer === 200) return void ready.add(node)
    } catch {}
    if (!ready.delete(node)) return
    // Hanging connections are not used again.
    const agent = agents.get(node)
    agents.delete(node)
    await agent?.destroy()
  }
  let turn = 0
  function next(): string | undefined {
    const all = [...ready].sort()
    return all[turn++ % all.length]
  }

  const server = createServer(async (incoming, response) => {
    const body = await bytesOf(incoming)
    const node = next()
    const { host: _, connection: __, ...headers } = incoming.headers
    try {
      if (!node) throw new Error('no node is ready')
      const answer = await request(`${urls[node]}${incoming.url}`, {
        method: incoming.method as 'GET',
        headers: headers as Record<string, string>,
        body: body.length > 0 ? body : undefined,
        dispatcher: agentOf(node),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      const { 'content-length': ___, 'transfer-encoding': ____, ...rest } = answer.headers
      const bytes = Buffer.from(await answer.body.arrayBuffer())
      response.writeHead(answer.statusCode, rest as Record<string, string>).end(bytes)
    } catch (error) {
      response.writeHead(503, { 'retry-after': '1' }).end((error as Error).message)
    }
  })
  const checks = Object.keys(urls).map((node) => {
    let running = false
    return setInterval(() => {
      if (running) return
      running = true
      void check(node).finally(() => {
        running = false
      })
    }, CHECK_MS)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    for (const timer of checks) clearInterval(timer)
    server.closeAllConnections()
    await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ready: () => [...ready] }
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
