/** The connection of a node to the modelled NATS, with the part of the client library that the engine uses. */
import type { Broker } from '../../runtime/broker/broker.ts'
import type { Host } from './host.ts'
import type { Network } from './network.ts'

export type Word = { subject: string; data: Uint8Array; reply?: string | undefined; headers?: { code: number } }
export type Subscription = {
  broker: ModelBroker
  subject: string
  is_closed: boolean
  take(word: Word, subject: string): void
}

type Callback = (error: Error | null, message: unknown) => void

const RECONNECT_MS = 200
/** The pings of a connection notice a silent other end after this many milliseconds. */
const PINGS_MS = 12_000
/** The number of words kept for a server that is away. */
const BUFFERED = 1000

export class ModelBroker {
  readonly host: Host
  readonly info = { max_payload: 1024 * 1024 }
  /** The number of the connection. It rises with each loss, and everything on its way then is gone. */
  connection = 1
  /** The true time until which nothing gets through. */
  silent_until = 0
  readonly #network: Network
  readonly #subscriptions = new Set<Subscription>()
  readonly #flushes = new Set<{ reject(error: Error): void }>()
  #is_connected = true
  #is_closed = false
  #buffer: (() => void)[] = []
  readonly #statuses: { type: string }[] = []
  #tell = () => {}
  #requests = 0

  constructor(host: Host, network: Network) {
    this.host = host
    this.#network = network
    network.join(this)
  }

  /** The broker in the form that the engine takes. */
  get port(): Broker {
    return this as unknown as Broker
  }

  isClosed(): boolean {
    return this.#is_closed
  }

  publish(subject: string, payload: string | Uint8Array, options: { reply?: string } = {}): void {
    if (this.#is_closed) throw new Error('closed connection')
    const data = typeof payload === 'string' ? Buffer.from(payload) : payload
    this.send(() => this.#network.route(this, { subject, data, reply: options.reply }))
  }

  subscribe(subject: string, { callback }: { callback: Callback }): unknown {
    const subscription: Subscription = {
      broker: this,
      subject,
      is_closed: false,
      take: (word) => {
        if (!subscription.is_closed) callback(null, this.#message(word))
      },
    }
    this.#subscriptions.add(subscription)
    if (this.#is_connected) this.send(() => this.#enter(subscription))
    const unsubscribe = () => {
      subscription.is_closed = true
      this.#leave(subscription)
    }
    return {
      unsubscribe,
      drain: async () => {
        this.#leave(subscription)
        await this.flush().catch(() => {})
        subscription.is_closed = true
      },
    }
  }

  /** Runs an action at the server, after everything sent before. */
  send(atServer: () => void): void {
    if (!this.#is_connected) {
      if (this.#buffer.length < BUFFERED) this.#buffer.push(atServer)
      return
    }
    const { host, connection } = this
    const { world } = host
    const at = this.#network.arrival(`${host.number}`, Math.max(host.time, this.silent_until))
    world.at(at, () => {
      if (this.connection === connection && this.#network.is_up) atServer()
    })
  }

  flush(): Promise<void> {
    if (this.#is_closed) return Promise.reject(new Error('closed connection'))
    return new Promise((resolve, reject) => {
      const flush = { reject }
      this.#flushes.add(flush)
      this.send(() => {
        const { world } = this.host
        const at = this.#network.arrival(`${this.host.number} back`, Math.max(world.time, this.silent_until))
        this.host.at(at, () => {
          this.#flushes.delete(flush)
          resolve()
        })
      })
    })
  }

  request(subject: string, payload: string, { timeout }: { timeout: number }): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const reply = `_R.${this.host.name}.${++this.#requests}`
      const end = () => {
        cancel()
        subscription.unsubscribe()
      }
      const callback: Callback = (_, message) => {
        end()
        const { headers } = message as Word
        if (headers?.code === 503) reject(new Error('no responders'))
        else resolve(message)
      }
      const subscription = this.subscribe(reply, { callback }) as { unsubscribe(): void }
      const cancel = this.host.clock.after(timeout, () => {
        end()
        reject(new Error('timeout'))
      })
      this.publish(subject, payload, { reply })
    })
  }

  async *status(): AsyncGenerator<{ type: string }> {
    for (;;) {
      const next = this.#statuses.shift()
      if (next) yield next
      else if (this.#is_closed) return
      else {
        await new Promise<void>((resolve) => {
          this.#tell = resolve
        })
      }
    }
  }

  async reconnect(): Promise<void> {
    this.#disconnect()
  }

  async close(): Promise<void> {
    if (this.#is_closed) return
    this.#is_closed = true
    this.#network.leave(this)
    for (const one of this.#subscriptions) one.is_closed = true
    this.#tell()
  }

  /** Loses the connection, because the server has gone. */
  lose(): void {
    if (this.silent_until <= this.host.world.time) this.host.later(0.5, () => this.#disconnect())
  }

  /** Lets nothing through until the given time. */
  silence(until: number): void {
    this.silent_until = until
    const { connection } = this
    this.host.clock.after(PINGS_MS, () => {
      if (this.connection === connection && this.silent_until > this.host.world.time) this.#disconnect()
    })
  }

  #disconnect(): void {
    if (!this.#is_connected || this.#is_closed) return
    this.#is_connected = false
    this.connection++
    for (const { reject } of this.#flushes) reject(new Error('disconnect'))
    this.#flushes.clear()
    this.#network.disconnect(this)
    this.#say('disconnect')
    this.#reconnectLater()
  }

  #reconnectLater(): void {
    const { world } = this.host
    this.host.clock.after(RECONNECT_MS, () => {
      if (this.#is_closed) return
      if (!this.#network.is_up || this.silent_until > world.time) {
        this.#reconnectLater()
        return
      }
      this.#is_connected = true
      for (const one of this.#subscriptions) this.send(() => this.#enter(one))
      for (const atServer of this.#buffer.splice(0)) this.send(atServer)
      this.#say('reconnect')
    })
  }

  #enter(subscription: Subscription): void {
    if (this.#subscriptions.has(subscription)) this.#network.subscribe(subscription)
  }

  #leave(subscription: Subscription): void {
    this.#subscriptions.delete(subscription)
    this.send(() => this.#network.unsubscribe(subscription))
  }

  #say(type: string): void {
    this.#statuses.push({ type })
    this.#tell()
  }

  #message(word: Word): unknown {
    const text = () => Buffer.from(word.data).toString()
    return {
      ...word,
      string: text,
      json: () => JSON.parse(text()),
      respond: (payload: string) => {
        if (word.reply) this.publish(word.reply, payload)
      },
    }
  }
}
