/**
 * A balancer before the nodes: it sends each request to the next node, leaves a node that does not answer out for a
 * moment, and gives a request without an answer an honest 503. The balancer never repeats a request; the caller does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import type { Owner } from '../support/mod.ts'

/**
 * Milliseconds until a careless proxy gives a request up. A patient one waits longer than a node may take (its asks end
 * after 10 s).
 */
const CARELESS_MS = 2500
const PATIENT_MS = 15_000
const LEFT_OUT_MS = 1000

export type Upstream = {
  base_url: string
  /** False while the node is stopped or dead by our own doing, or was so lately: then its silence is no fault. */
  answerable(): boolean
}

export type Balancer = {
  base_url: string
  /** Requests that a healthy node took and did not answer in 15 s. */
  hangs: string[]
  /** True when the balancer gives some requests up soon. False at first, during the preparation. */
  careless: boolean
}

export async function startBalancer(t: Owner, nodes: readonly Upstream[]): Promise<Balancer> {
  const agent = new Agent({ connections: 64, connectTimeout: 1000 })
  const left_out = new Map<Upstream, number>()
  const balancer: Balancer = { base_url: '', hangs: [], careless: false }
  let turn = 0

  function next(): Upstream {
    const now = Date.now()
    for (let tries = 0; tries < nodes.length; tries++) {
      const node = nodes[turn++ % nodes.length]!
      if ((left_out.get(node) ?? 0) <= now) return node
    }
    return nodes[turn++ % nodes.length]!
  }

  async function pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const node = next()
    const soon = balancer.careless && Math.floor(turn / nodes.length) % 2 === 0
    const patience = soon ? CARELESS_MS : PATIENT_MS
    const gone = new AbortController()
    to.once('close', () => to.writableFinished || gone.abort())
    const { host: _, connection: __, 'transfer-encoding': ___, ...headers } = from.headers
    try {
      const chunks: Buffer[] = []
      for await (const chunk of from) chunks.push(chunk as Buffer)
      const answer = await request(`${node.base_url}${from.url}`, {
        method: from.method as 'GET',
        headers,
        body: chunks.length > 0 ? Buffer.concat(chunks) : null,
        dispatcher: agent,
        signal: gone.signal,
        headersTimeout: patience,
        bodyTimeout: patience,
      })
      const { 'transfer-encoding': ____, connection: _____, ...kept } = answer.headers
      to.writeHead(answer.statusCode, kept)
      to.end(Buffer.from(await answer.body.arrayBuffer()))
    } catch (error) {
      if (gone.signal.aborted) return
      left_out.set(node, Date.now() + LEFT_OUT_MS)
      const timed_out = /timeout/i.test((error as Error).name)
      if (timed_out && !soon && node.answerable()) balancer.hangs.push(`${from.method} ${from.url}`)
      if (to.headersSent) to.destroy()
      else to.writeHead(503, { 'retry-after': '1' }).end('no node answered')
    }
  }

  const server = createServer((from, to) => void pass(from, to))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await agent.destroy()
  })
  balancer.base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return balancer
}
