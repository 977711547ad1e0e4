/**
 * One connection to the chat, kept up. It implements the part of Socket.IO's protocol (revision 5 over Engine.IO 4,
 * websockets only, https://socket.io/docs/v4/socket-io-protocol/) that the chat needs, so that a page loads no library.
 * One file, because all of it is the state of one connection.
 */
import type { Asks, ConnectionState, Listener, Packet, Refusal, Tells, Welcome } from './protocol.ts'

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 10_000
const ANSWER_MS = 15_000
/** A stopping server may accept a connection and never answer. */
const OPENING_MS = 8_000
/** After this long without a connection the visitor is told that it lasts. */
const LONG_AWAY_MS = 30_000
/** States after a refusal by the server. After other failures it retries soon. */
const TURNED_AWAY: Partial<Record<string, 'refused' | 'off' | 'busy'>> = {
  // Refusals that no further attempt changes.
  CHANNEL_NOT_FOUND: 'refused',
  ORIGIN_NOT_ALLOWED: 'refused',
  CHANNEL_CLOSED: 'off',
  TOO_FAST: 'busy',
}
/** Minimum interval of attempts while the visitor looks at the chat. */
const HURRY_MS = 3_000

/** A request without an answer, or a refusal: `code` is the reason, `retry_after_s` the time until it may be repeated. */
export class AskFailed extends Error {
  readonly code: string
  readonly retry_after_s: number | undefined

  constructor(code: string, message: string = code, retry_after_s?: number) {
    super(message)
    this.code = code
    this.retry_after_s = retry_after_s
  }
}

/** A failure as one of a request. Other failures are those of the connection, which is tried again. */
export function askFailed(error: unknown) {
  return error instanceof AskFailed ? error : new AskFailed('UNKNOWN', String(error))
}

/** A request that waits for its answer. */
type Ask = { resolve(answer: unknown): void; reject(failure: AskFailed): void; timer: number }

export class Connection {
  #url
  #on
  #socket: WebSocket | undefined
  #connected = false
  #asks = new Map<number, Ask>()
  #last_ask = 0
  #attempts = 0
  #waiting: number | undefined
  #watchdog: number | undefined
  #silence_ms = OPENING_MS
  #closed = false
  #state: ConnectionState = 'idle'
  /** The reason of the server's refusal, and its duration. */
  #turned_away: { state: ConnectionState; wait_ms: number } | undefined
  #tried_at = 0
  /** The time since which there has been no connection. */
  #broken_at: number | undefined

  /**
   * `on.auth()` returns the authentication data, `on.event(name, value)` gets each event, `on.refused(code)` returns
   * true to retry at once. `on.state(state)` gets one of
   *
   *    connecting     for the first time
   *    connected
   *    reconnecting   tried again soon
   *    away           the same, and it has lasted long
   *    busy           too many requests from this network: tried again when the server said
   *    off            the chat is disabled: tried again now and then
   *    refused        there is no such chat here, now or later
   */
  constructor(base: URL, on: Listener) {
    const url = new URL('visitor/socket.io/?EIO=4&transport=websocket', base)
    url.protocol = url.protocol.replace('http', 'ws')
    this.#url = url
    this.#on = on
  }

  /** Does nothing while a connection exists or is being opened. */
  open() {
    if (this.#socket || this.#closed) return
    clearTimeout(this.#waiting)
    this.#tried_at = performance.now()
    if (this.#state === 'idle') this.#set('connecting')
    const socket = new WebSocket(this.#url)
    this.#socket = socket
    this.#silence_ms = OPENING_MS
    socket.onmessage = ({ data }) => this.#socket === socket && typeof data === 'string' && this.#packet(socket, data)
    socket.onclose = () => this.#lost(socket)
    this.#watch(socket)
  }

  /** The visitor looks at the chat: a scheduled attempt is made now, unless the server asked to wait. */
  hurry() {
    const may = this.#state !== 'busy' && performance.now() - this.#tried_at > HURRY_MS
    if (this.#state === 'idle' || may) this.open()
  }

  /** Resolves to the answer. Rejects with `AskFailed`: `OFFLINE`, or the code of the refusal. */
  ask<Name extends keyof Asks>(name: Name, question: Asks[Name]['question']): Promise<Asks[Name]['answer']> {
    const socket = this.#socket
    if (!socket || !this.#connected) return Promise.reject(new AskFailed('OFFLINE'))
    const id = ++this.#last_ask
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(id, () => reject(new AskFailed('OFFLINE'))), ANSWER_MS)
      this.#asks.set(id, { resolve, reject, timer })
      socket.send(`42${id}${JSON.stringify([name, question])}`)
    })
  }

  /** Sends an event that is not answered, and lost without a connection. */
  tell<Name extends keyof Tells>(name: Name, value: Tells[Name]) {
    if (this.#connected) this.#socket?.send(`42${JSON.stringify([name, value])}`)
  }

  /** Reconnects, perhaps with another token. */
  again() {
    this.#attempts = 0
    this.#socket?.close()
  }

  /** Ends the connection until it is opened again. */
  rest() {
    const socket = this.#socket
    this.#socket = undefined
    this.#connected = false
    this.#attempts = 0
    this.#broken_at = undefined
    clearTimeout(this.#waiting)
    clearTimeout(this.#watchdog)
    for (const id of [...this.#asks.keys()]) this.#settle(id, ({ reject }) => reject(new AskFailed('OFFLINE')))
    socket?.close()
    if (!this.#closed) this.#set('idle')
  }

  close() {
    this.#closed = true
    clearTimeout(this.#waiting)
    clearTimeout(this.#watchdog)
    this.#socket?.close()
  }

  #packet(socket: WebSocket, text: string) {
    this.#watch(socket)
    const [type, kind] = text
    if (type === '0') {
      const { pingInterval, pingTimeout } = JSON.parse(text.slice(1))
      this.#silence_ms = pingInterval + pingTimeout
      socket.send(`40${JSON.stringify(this.#on.auth())}`)
    } else if (type === '2') socket.send('3')
    else if (type === '4') this.#message(socket, kind, text.slice(2))
  }

  #message(socket: WebSocket, kind: string | undefined, text: string) {
    const [, id = '', json = ''] = /^(\d*)([\s\S]*)$/.exec(text) ?? []
    switch (kind) {
      case '1':
        socket.close()
        break
      case '2': {
        const packet: Packet = JSON.parse(json)
        if (packet[0] === 'welcome') this.#welcome(packet[1])
        else if (packet[0] === 'closed') this.#turnedAway(socket, packet[1])
        else this.#on.event(...packet)
        break
      }
      case '3': {
        const [answer]: [{ error?: Refusal }] = JSON.parse(json)
        const { error } = answer
        this.#settle(Number(id), ({ resolve, reject }) =>
          error ? reject(new AskFailed(error.code, error.message, error.retry_after_s)) : resolve(answer),
        )
        break
      }
      case '4': {
        const { data }: { data?: Refusal } = JSON.parse(json)
        this.#turnedAway(socket, data ?? { code: 'SERVICE_UNAVAILABLE' })
        break
      }
    }
  }

  #welcome(value: Welcome) {
    this.#connected = true
    this.#attempts = 0
    this.#broken_at = undefined
    this.#set('connected')
    this.#on.event('welcome', value)
  }

  #turnedAway(socket: WebSocket, { code, retry_after_s }: Refusal) {
    if (this.#on.refused(code)) this.#attempts = 0
    const state = TURNED_AWAY[code]
    if (state === 'refused') this.#closed = true
    else this.#turned_away = { state: state ?? 'reconnecting', wait_ms: (retry_after_s ?? 0) * 1000 }
    socket.close()
    this.#lost(socket)
    if (state === 'refused') this.#set(state)
  }

  #set(state: ConnectionState) {
    if (this.#state === state) return
    this.#state = state
    this.#on.state(state)
  }

  #lost(socket: WebSocket) {
    if (this.#socket !== socket) return
    this.#socket = undefined
    this.#connected = false
    clearTimeout(this.#watchdog)
    for (const id of [...this.#asks.keys()]) this.#settle(id, ({ reject }) => reject(new AskFailed('OFFLINE')))
    if (this.#closed) return
    const { state, wait_ms = 0 } = this.#turned_away ?? {}
    this.#turned_away = undefined
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#attempts, MAX_WAIT_MS) * (0.5 + Math.random())
    this.#attempts++
    this.#broken_at ??= performance.now()
    const is_long = performance.now() - this.#broken_at > LONG_AWAY_MS
    this.#set(state ?? (is_long ? 'away' : 'reconnecting'))
    // Spread at random, because all waiting clients would otherwise come back in the same moment.
    this.#waiting = setTimeout(() => this.open(), wait_ms * (1 + Math.random() / 2) + wait)
  }

  /** A silent connection counts as broken, whatever the browser believes. */
  #watch(socket: WebSocket) {
    clearTimeout(this.#watchdog)
    this.#watchdog = setTimeout(() => {
      socket.close()
      this.#lost(socket)
    }, this.#silence_ms)
  }

  #settle(id: number, how: (ask: Ask) => void) {
    const ask = this.#asks.get(id)
    if (!ask) return
    this.#asks.delete(id)
    clearTimeout(ask.timer)
    how(ask)
  }
}
