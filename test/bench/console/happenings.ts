/** Events of the project while it is measured: people write, and programs change tickets. */
import { setTimeout as pause } from 'node:timers/promises'

const PEOPLE = 40
const PRIORITIES = ['low', 'medium', 'high', 'urgent']

export type Demo = {
  base_url: string
  simulator_url: string
  project_id: string
  token: string
  operator_key: string
  agent: { email: string; password: string }
}

export class Happenings {
  /** Changes that were answered. */
  done = 0
  failed = 0
  readonly #demo: Demo
  readonly #tickets: string[]
  #timer: NodeJS.Timeout | undefined
  #begun = 0
  readonly #under_way = new Set<Promise<void>>()

  /** `tickets`: those that change. */
  constructor(demo: Demo, tickets: string[]) {
    this.#demo = demo
    this.#tickets = tickets
  }

  /** As many as are due: a timer that comes late catches up. */
  start(per_second: number): void {
    const began = performance.now()
    this.#timer = setInterval(() => {
      const due = ((performance.now() - began) / 1000) * per_second
      while (this.#begun < due) this.#begin()
    }, 1000 / per_second)
  }

  #begin(): void {
    const asked = this.#next().then(
      ({ ok }) => void (ok ? this.done++ : this.failed++),
      () => void this.failed++,
    )
    this.#under_way.add(asked)
    void asked.finally(() => this.#under_way.delete(asked))
  }

  /** Resolves when everything that began has been answered and told. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#under_way)
    await pause(2000)
  }

  #next(): Promise<Response> {
    const n = this.#begun++
    const { base_url, simulator_url, token } = this.#demo
    if (n % 2 === 0) {
      const from = `1555600${String(n % PEOPLE).padStart(4, '0')}`
      const message = { type: 'text', text: { body: `Line ${n}: where is my order?` } }
      const json = { channel: 'whatsapp', from, name: `Person ${n % PEOPLE}`, message }
      return send('POST', `${simulator_url}/_control/inbound`, json)
    }
    const ticket = this.#tickets[n % this.#tickets.length]
    const priority = PRIORITIES[Math.floor(n / this.#tickets.length) % PRIORITIES.length]
    return send('PATCH', `${base_url}/v1/crm/tickets/${ticket}`, { priority }, token)
  }
}

function send(method: string, url: string, json: object, token?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  return fetch(url, { method, headers, body: JSON.stringify(json) })
}
