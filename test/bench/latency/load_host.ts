/**
 * The load and both far ends in one process, so that one clock measures: an operation begins when it was due and ends
 * when its POST is here, at the customer's receiver or at the provider.
 */

import * as uWS from 'uWebSockets.js'
import { isSigned } from '../deliver/is_signed.ts'
import { httpClient } from '../load/http_client.ts'
import { type Issue, type Load, runLoad } from '../load/loop.ts'
import { offer } from '../servers/remote.ts'
import { callbackOf, INBOUND, numberOf, OUTBOUND, sendOf, signatureOf } from './bodies.ts'

/** The address of a peer, and the secret with which it signs for the receiver. */
export type LoadTarget = { port: number; token: string; webhook_path: string; receiver_secret: string }

const CONNECTIONS = 512

const waiting = new Map<number, (ok: boolean) => void>()
const issues = new Map<string, Issue>()
let port: number
let secret = ''
let last = 1_000_000
let refused = 0
let forged = 0

function end(n: number, ok: boolean): void {
  waiting.get(n)?.(ok)
  waiting.delete(n)
}

/** Reads a POST to its end, gives it to `arrived` and answers with the result. */
function take(response: uWS.HttpResponse, arrived: (body: Buffer) => string): void {
  const chunks: Buffer[] = []
  response.onAborted(() => {})
  response.onData((chunk, is_last) => {
    chunks.push(Buffer.from(chunk.slice(0)))
    if (!is_last) return
    const answer = arrived(Buffer.concat(chunks))
    response.cork(() => response.writeHeader('content-type', 'application/json').end(answer))
  })
}

/** Returns an operation's start. It ends at the far end, or with a refusal. */
function issueOf(post: Issue): Issue {
  return (_key, done) => {
    const n = ++last
    waiting.set(n, done)
    post(n, (ok) => {
      if (ok) return
      refused++
      end(n, false)
    })
  }
}

offer({
  async start() {
    const app = uWS.App()
    app.post('/hook/*', (response, request) => {
      const signature = request.getHeader('x-svc-signature')
      take(response, (body) => {
        const signed = isSigned(secret, signature, body)
        if (!signed) forged++
        end(numberOf(body.toString()), signed)
        return '{}'
      })
    })
    app.post('/:version/:number/messages', (response) => {
      take(response, (body) => {
        const n = numberOf(body.toString())
        end(n, true)
        const { to } = JSON.parse(body.toString())
        const contacts = [{ input: to, wa_id: to }]
        return JSON.stringify({ messaging_product: 'whatsapp', contacts, messages: [{ id: `wamid.sent${n}` }] })
      })
    })
    const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
    if (!socket) throw new Error('cannot listen on 127.0.0.1')
    port = uWS.us_socket_local_port(socket as unknown as uWS.us_socket)
  },
  port: () => port,
  target({ port, token, webhook_path, receiver_secret }: LoadTarget) {
    secret = receiver_secret
    const inbound = { port, method: 'POST', path: () => webhook_path, body: callbackOf }
    const authorization = { Authorization: `Bearer ${token}` }
    const outbound = { port, method: 'POST', path: () => '/v1/messages', headers: authorization, body: sendOf }
    const signed = (_: number, body: string) => signatureOf(body)
    issues.set(INBOUND, issueOf(httpClient({ ...inbound, headers: signed }, CONNECTIONS)))
    issues.set(OUTBOUND, issueOf(httpClient(outbound, CONNECTIONS)))
  },
  async run({ variant, ...load }: Load) {
    refused = 0
    forged = 0
    const sample = await runLoad(issues.get(variant!)!, load)
    const lost = waiting.size
    waiting.clear()
    if (forged > 0) throw new Error(`${forged} signatures were wrong`)
    return { ...sample, figures: { lost, refused } }
  },
})
