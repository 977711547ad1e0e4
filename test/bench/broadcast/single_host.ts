/**
 * Single sends and the provider that takes them, in one process, so that one clock measures: an operation begins when
 * its request is due and ends when the message is here. The simulator behind it answers every other request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { httpClient } from '../load/http_client.ts'
import { type Issue, type Load, runLoad } from '../load/loop.ts'
import { offer } from '../servers/remote.ts'

export type SingleConfig = { simulator_url: string }
/** The address and the token of a project for the sends. */
export type SingleTarget = { port: number; token: string }

const waiting = new Map<string, (ok: boolean) => void>()
let simulator_url: string
let provider_url: string
let issue: Issue
let last = 1_000_000

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  if (request.method === 'POST' && request.url!.endsWith('/messages')) {
    const { to } = JSON.parse(body)
    waiting.get(to)?.(true)
    waiting.delete(to)
    const taken = {
      messaging_product: 'whatsapp',
      contacts: [{ input: to, wa_id: to }],
      messages: [{ id: `wamid.${to}` }],
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(taken))
    return
  }
  const { authorization = '', 'content-type': type = 'application/json' } = request.headers
  const has_body = body !== ''
  const forwarded = await fetch(`${simulator_url}${request.url}`, {
    method: request.method!,
    headers: { authorization, ...(has_body && { 'content-type': type }) },
    ...(has_body && { body }),
  })
  response.writeHead(forwarded.status, { 'content-type': forwarded.headers.get('content-type') ?? type })
  response.end(await forwarded.text())
}

offer({
  async start(config: SingleConfig) {
    simulator_url = config.simulator_url
    const server = createServer((request, response) => {
      answer(request, response).catch((error) => response.writeHead(502).end(String(error)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    provider_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
  provider_url: () => provider_url,
  target({ port, token }: SingleTarget) {
    const post = httpClient(
      {
        port,
        method: 'POST',
        path: () => '/v1/messages',
        headers: { Authorization: `Bearer ${token}` },
        body: (to) =>
          JSON.stringify({ channel: 'whatsapp', to: `+${to}`, message: { type: 'text', body: 'Your code: 1' } }),
      },
      256,
    )
    issue = (_, done) => {
      const to = ++last
      const name = `49170${to}`
      waiting.set(name, done)
      post(Number(name), (ok) => {
        // A message that was not accepted never comes.
        if (!ok && waiting.delete(name)) done(false)
      })
    }
  },
  run: (load: Load) => runLoad(issue, load),
})
