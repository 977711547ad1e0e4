/**
 * People, the model and the provider in one process, so that one clock measures. An operation begins with the callback of a person's
 * message and ends when the answer is at the provider. Each is a person of its own: nobody reads and answers in a second.
 */
import * as uWS from 'uWebSockets.js'
import { signatureOf } from '../latency/bodies.ts'
import { httpClient } from '../load/http_client.ts'
import { type Issue, type Load, runLoad, type Sample } from '../load/loop.ts'
import { CREDENTIALS } from '../send/provider.ts'
import { offer } from '../servers/remote.ts'
import { visit } from './web_visitors.ts'

export type AssistantLoad = { port: number; webhook_path: string; token: string; web_channel_id: string }

/** The time for which the product waits for the person's silence, in milliseconds. */
const QUIET_MS = 1200
const PATIENCE_MS = 60_000
/** The time between two words of a streamed answer. */
const PIECE_MS = 40
/** People do not write at the same moment. Not counted. */
const MAX_PAUSE_MS = 3000
/** Share of the conversations that has to wait for the model for a send to count as one beside those that wait. */
const ALL_WAIT = 0.999

type Conversation = { done: (ok: boolean) => void; wrote_at: number; answered_at: number }

const conversations = new Map<number, Conversation>()
const sends = new Map<number, { at: number; is_beside: boolean }>()
const newTimes = () => ({
  to_model: [] as number[],
  to_provider: [] as number[],
  to_page: [] as number[],
  send: [] as number[],
  send_beside: [] as number[],
})
/** Questions that the model has not answered. */
let thinking = 0
let in_flight = 1
const allWait = () => thinking >= in_flight * ALL_WAIT
let times = newTimes()
/** The moments of the first words, by the number of the question. */
const first_words = new Map<number, number>()
let target: AssistantLoad
let model_ms = 200
let last = 0
let port: number
let write: Issue
let send: Issue

/** An answer in pieces, as models stream it. */
function stream(response: uWS.HttpResponse, words: string[], began: () => void): void {
  let is_open = true
  response.onAborted(() => {
    is_open = false
  })
  const event = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const usage = { prompt_tokens: 500, completion_tokens: words.length, total_tokens: 500 + words.length }
  const end = `${event({}, 'stop')}data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\ndata: [DONE]\n\n`
  const say = (text: string) => is_open && response.cork(() => response.write(text))
  response.cork(() => response.writeHeader('content-type', 'text/event-stream'))
  words.forEach((word, at) => {
    setTimeout(() => {
      if (at === 0) began()
      say(event({ content: word }))
      if (at === words.length - 1 && is_open) response.cork(() => response.end(end))
    }, at * PIECE_MS)
  })
}

const markOf = (text: string) => Number(/order A-(\d+)/.exec(text)?.[1] ?? Number.NaN)

function take(response: uWS.HttpResponse, arrived: (body: string, answer: (json: unknown) => void) => void): void {
  const chunks: Buffer[] = []
  let is_open = true
  response.onAborted(() => {
    is_open = false
  })
  response.onData((chunk, is_last) => {
    chunks.push(Buffer.from(chunk.slice(0)))
    if (!is_last) return
    arrived(Buffer.concat(chunks).toString(), (json) => {
      if (!is_open) return
      response.cork(() => response.writeHeader('content-type', 'application/json').end(JSON.stringify(json)))
    })
  })
}

function callbackOf(n: number): string {
  const from = `49171${String(n).padStart(8, '0')}`
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550100001', phone_number_id: CREDENTIALS.phone_number_id },
    contacts: [{ profile: { name: 'Ana' }, wa_id: from }],
    messages: [
      {
        ...{ from, id: `wamid.assistant${process.pid}.${n}`, timestamp: String(Math.floor(Date.now() / 1000)) },
        ...{ type: 'text', text: { body: `Hello, where is my order A-${n}? It was to arrive yesterday.` } },
      },
    ],
  }
  const entry = [{ id: CREDENTIALS.business_account_id, changes: [{ field: 'messages', value }] }]
  return JSON.stringify({ object: 'whatsapp_business_account', entry })
}

const sendOf = (n: number) =>
  JSON.stringify({
    channel: 'whatsapp',
    to: `+49172${n}`,
    message: { type: 'text', body: `Your order A-${n} has left.` },
  })

function quantile(values: number[], share: number): number {
  return Float64Array.from(values).sort()[Math.floor(values.length * share)] ?? 0
}

offer({
  async start() {
    const app = uWS.App()
    app.post('/v1/chat/completions', (response) => {
      take(response, (body, answer) => {
        const { messages, stream: is_streamed } = JSON.parse(body) as {
          messages: { role: string; content: unknown }[]
          stream?: boolean
        }
        const n = markOf(JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content))
        const conversation = conversations.get(n)
        if (conversation) times.to_model.push(performance.now() - conversation.wrote_at - QUIET_MS)
        if (is_streamed) {
          const words = `Your order A-${n} arrives tomorrow, between nine and twelve.`.split(/(?<= )/)
          setTimeout(() => stream(response, words, () => first_words.set(n, performance.now())), model_ms)
          return
        }
        thinking++
        setTimeout(() => {
          thinking--
          const message = { role: 'assistant', content: `Your order A-${n} arrives tomorrow, between nine and twelve.` }
          const usage = { prompt_tokens: 500, completion_tokens: 20, total_tokens: 520 }
          answer({
            id: 'c',
            object: 'chat.completion',
            created: 1,
            model: 'm',
            usage,
            choices: [{ index: 0, message, finish_reason: 'stop' }],
          })
          if (conversation) conversation.answered_at = performance.now()
        }, model_ms)
      })
    })
    app.post('/:version/:number/messages', (response) => {
      take(response, (body, answer) => {
        const n = markOf(body)
        const sent = sends.get(n)
        if (sent) {
          const ms = performance.now() - sent.at
          times.send.push(ms)
          if (sent.is_beside) times.send_beside.push(ms)
        }
        sends.delete(n)
        const conversation = conversations.get(n)
        if (conversation) {
          times.to_provider.push(performance.now() - conversation.answered_at)
          conversations.delete(n)
          conversation.done(true)
        }
        const { to } = JSON.parse(body)
        answer({
          messaging_product: 'whatsapp',
          contacts: [{ input: to, wa_id: to }],
          messages: [{ id: `wamid.sent${n}` }],
        })
      })
    })
    const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
    if (!socket) throw new Error('cannot listen on 127.0.0.1')
    port = uWS.us_socket_local_port(socket as unknown as uWS.us_socket)
  },
  port: () => port,
  target(given: AssistantLoad) {
    target = given
    const authorization = `Bearer ${target.token}`
    write = httpClient(
      {
        port: target.port,
        method: 'POST',
        path: () => target.webhook_path,
        headers: (_, body) => signatureOf(body),
        body: callbackOf,
      },
      64,
    )
    send = httpClient(
      {
        port: target.port,
        method: 'POST',
        path: () => '/v1/messages',
        headers: () => ({ authorization }),
        body: sendOf,
      },
      64,
    )
  },
  /** `variant`: milliseconds of the model, `sends` for sends alone, `web` for visitors of the web chat. Twenty sends a second go beside. */
  async run(load: Load & { variant: string }): Promise<Sample> {
    times = newTimes()
    in_flight = load.in_flight ?? 1
    model_ms = load.variant === 'web' ? 200 : Number(load.variant)
    const sending = setInterval(() => {
      const n = ++last
      sends.set(n, { at: performance.now(), is_beside: allWait() })
      send(n, () => {})
    }, 50)
    const totals: number[] = []
    const converse: Issue = (_key, done) => {
      setTimeout(() => {
        const n = ++last
        const wrote_at = performance.now()
        const end = (ok: boolean) => {
          totals.push(performance.now() - wrote_at)
          done(ok)
        }
        conversations.set(n, { done: end, wrote_at, answered_at: 0 })
        write(n, (ok) => {
          if (!ok && conversations.delete(n)) end(false)
        })
      }, Math.random() * MAX_PAUSE_MS)
    }
    const nothing: Issue = (_key, done) => void setTimeout(done, 100, true)
    const look: Issue = (_key, done) => {
      const n = ++last
      const body = `Hello, where is my order A-${n}? It was to arrive yesterday.`
      const seen = () => times.to_page.push(performance.now() - (first_words.get(n) ?? Number.NaN))
      const { port, web_channel_id: channel_id } = target
      const id = `bench-visit-${n}`
      void visit({ base_url: `http://127.0.0.1:${port}`, channel_id, id, body, seen }).then((ok) => {
        first_words.delete(n)
        done(ok)
      })
    }
    const issue = load.variant === 'web' ? look : Number.isNaN(model_ms) ? nothing : converse
    const sample = await runLoad(issue, load, PATIENCE_MS)
    clearInterval(sending)
    const named: [string, number[]][] = [
      ['to model', times.to_model],
      ['to provider', times.to_provider],
      ['first words to page', times.to_page],
      ['send', times.send],
      ['send while all wait', times.send_beside],
    ]
    const figures = Object.fromEntries(
      named.flatMap(([name, values]) =>
        values.length === 0
          ? []
          : [
              [`${name} p50 ms`, quantile(values, 0.5)],
              [`${name} p99 ms`, quantile(values, 0.99)],
            ],
      ),
    )
    return { ...sample, ...(totals.length > 0 && { p99_ms: quantile(totals, 0.99) }), figures }
  },
})
