/**
 * The load and the receivers in one process, so that one clock measures: an operation begins when its event is due and
 * ends when its POST is here. Receivers that hang take the request and do not answer until they are released.
 */

import * as uWS from 'uWebSockets.js'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { type Load, runLoad } from '../load/loop.ts'
import { payloadOf } from '../load/target.ts'
import { offer } from '../servers/remote.ts'
import { BACKLOGGED, DEADLINE_MS, HANGING, HEALTHY, mayHang, ONE_ORIGIN, RECEIVERS } from './shape.ts'

/** Deliveries that wait at a hanging receiver when a round begins: the ones it may have in flight, and half as many. */
const BURST = 12
/** Milliseconds of an answer of the slow receiver with the backlog. It takes eight at once, so eight a second. */
const SLOW_MS = 1_000

const waiting = new Map<number, (ok: boolean) => void>()
const held = new Set<uWS.HttpResponse>()
let hanging = false
let last = 0
let line: Socket
let sink_port: number
let hung = 0

function happen(key: number, done?: (ok: boolean) => void): void {
  const op = ++last
  if (done) waiting.set(op, done)
  line.write(`${op} ${key} ${JSON.stringify({ ...payloadOf(0), op })}\n`)
}

function answer(response: uWS.HttpResponse): void {
  if (held.delete(response)) response.cork(() => response.end('ok'))
}

function receive(response: uWS.HttpResponse, key: number, body: string): void {
  const op = Number(body.match(/"op":(\d+)/)?.[1])
  waiting.get(op)?.(true)
  waiting.delete(op)
  held.add(response)
  if (hanging && mayHang(key)) hung++
  else if (key === BACKLOGGED) setTimeout(answer, SLOW_MS, response)
  else answer(response)
}

offer({
  async start() {
    const app = uWS.App().post('/hook/:key', (response, request) => {
      const key = Number(request.getParameter(0))
      const chunks: Buffer[] = []
      response.onAborted(() => void held.delete(response))
      response.onData((chunk, is_last) => {
        chunks.push(Buffer.from(chunk.slice(0)))
        if (is_last) receive(response, key, Buffer.concat(chunks).toString())
      })
    })
    const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('0.0.0.0', 0, resolve))
    if (!socket) throw new Error('cannot listen')
    sink_port = uWS.us_socket_local_port(socket as unknown as uWS.us_socket)
  },
  sink_port: () => sink_port,
  async connect(port: number) {
    line = connect({ port, host: '127.0.0.1', noDelay: true })
    await new Promise((resolve, reject) => line.once('connect', resolve).once('error', reject))
    createInterface({ input: line }).on('line', (text) => {
      if (!text.endsWith('!')) return
      const op = Number.parseInt(text, 10)
      waiting.get(op)?.(false)
      waiting.delete(op)
    })
  },
  /** Sends an event to every receiver, so that no round pays for loading the first ones. */
  async touch() {
    for (let key = 0; key < BACKLOGGED; key++) {
      await new Promise((resolve) => happen(key, resolve))
    }
  },
  /** Fills the slots of the hanging receivers over the length of a deadline, so that deadlines pass one by one. */
  async hang(variant: string) {
    hanging = true
    const first = baseOf(variant) + HEALTHY
    for (let n = 0; n < BURST; n++) {
      for (let key = 0; key < HANGING; key++) {
        happen(first + key)
        await pause(DEADLINE_MS / BURST / HANGING)
      }
    }
  },
  release() {
    hanging = false
    for (const response of [...held]) answer(response)
  },
  /** Measures the healthy receivers. The others get their share of events meanwhile, hanging or not. */
  async run({ variant, rate = 300, seconds }: Load) {
    const base = baseOf(variant ?? '')
    const others = { seconds, keys: HANGING, rate: (rate * HANGING) / HEALTHY }
    const [sample] = await Promise.all([
      runLoad((key, done) => happen(base + key, done), { seconds, keys: HEALTHY, rate }),
      runLoad((key, done) => {
        happen(base + HEALTHY + key)
        done(true)
      }, others),
    ])
    return sample
  },
  /** Returns the number of requests left hanging so far. */
  hung: () => hung,
})

function baseOf(variant: string): number {
  return variant === ONE_ORIGIN ? RECEIVERS : 0
}
