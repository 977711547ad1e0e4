/** Turns the answers of a node into examples: the same in each recording, short, and without secrets. */
import type { Json } from '../client.ts'
import type { Places } from './records.ts'

/** Items that an example list shows. */
const MAX_ITEMS = 2
const MAX_TEXT_LENGTH = 400
const MOMENT = '2026-09-21T14:13:20.000Z'

const REPLACED: [RegExp, string][] = [
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, MOMENT],
  [/svc_pk_\w{38}/g, `svc_pk_${'x'.repeat(38)}`],
  [/svc_ok_\w{38}/g, `svc_ok_${'x'.repeat(38)}`],
  [/^svc_(pk|ok)_\w{4}$/, 'svc_$1_xxxx'],
  [/^req_[\w-]+$/, 'req_X6y4FSKlh6Ea_7l'],
  [/^whsec_[\w+/]{6}$/, 'whsec_GmZ1hT'],
  [/^whpk_[\w+/=]{40,}$/, 'whpk_X5gGDZi3GbnRBTuZvJwNj3zkoh0s6QdfBM7sUbNZ5xA='],
  [/^v1,[\w+/=]{40,}$/, 'v1,UgaplqyxIKZ7dZ9t5H2XM8L0U5d0bP3zNblAdDdGKNA='],
  [/^t=\d+,v1=[0-9a-f]{64}$/, `t=1790000000,v1=${'8a2026bd73b80e12'.repeat(4)}`],
  [/^whsec_[\w+/=]{40,}$/, 'whsec_GmZ1hT/peYELRgZIMxz8hayhCARShHfoweyRaLTq9Jo='],
  [/^agent-[\da-f-]{36}@example\.com$/, 'agent@example.com'],
  [/^owner-\d+-\d+@example\.com$/, 'luis.vega@example.com'],
  [/^wamid\.\w+=*$/, 'wamid.HBgMTU1NTAxODAwMDAVAgARGEI3NjFGQkJCMkI3NjAwMDAwMDAwMDEA'],
  [/ext=\d+&hash=[\w-]+/, 'ext=1790000300&hash=Hw8lUQ1L0sy6sL_tzDvNL3CG'],
  // A cursor of the poll, an id of a key and an id of a store.
  [/^A{12}[\w-]{10}$/, 'AAAAAAAAAAAAAAAApwAAIQ'],
  [/^[0-9a-f]{8}$/, '6d145166'],
  [/^file:[0-9a-f]{16}$/, 'file:ad7f8277bd413de7'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'https://shop.example.com'],
]

/** Facts of the machine and of its speed. */
const FIXED: Record<string, unknown> = {
  pid: 4242,
  epoch: 12,
  commits: 211,
  cpu_seconds: 1.4,
  loop_delay_seconds: 0.011,
  memory_bytes: 406_740_992,
  messages: 346,
  per_second: 26.5,
  requests: 319,
  sends: 11,
  share: 0.41,
  turns: 306,
  'webhook-timestamp': '1790000000',
  x: 'X5gGDZi3GbnRBTuZvJwNj3zkoh0s6QdfBM7sUbNZ5xA',
  host: 'node-1',
  duration_ms: 12,
  score: 0.61,
  serial_number: '6012345678901234',
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
}

export class Recorder {
  readonly #examples: Map<string, string>
  #made = 0

  constructor(places: Places) {
    this.#examples = new Map(Object.entries(places).map(([example, real]) => [real, example]))
  }

  /** Learns further records by the ids of their examples. */
  learn(places: Places): void {
    for (const [example, real] of Object.entries(places)) this.#examples.set(real, example)
  }

  /** The answer as an example. */
  exampleOf(body: Json): Json {
    return this.#shown('', body)
  }

  #shown(key: string, value: Json): Json {
    if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => this.#shown('', item))
    if (value !== null && typeof value === 'object') {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#shown(name, inner)]))
    }
    if (value !== null && key in FIXED && typeof FIXED[key] === typeof value) return FIXED[key]
    return typeof value === 'string' ? this.#text(value) : value
  }

  #text(value: string): string {
    const known = this.#examples.get(value)
    if (known !== undefined) return known
    let text = value
    for (const [pattern, instead] of REPLACED) text = text.replace(pattern, instead)
    text = text.replace(/\b(?:[a-z]{2,3}_)?[0-9a-f]{24}\b/g, (id) => this.#example(id))
    return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text
  }

  /** An id that no example names gets one that is counted on. */
  #example(id: string): string {
    const known = this.#examples.get(id)
    if (known !== undefined) return known
    const [prefix = ''] = /^[a-z]+_/.exec(id) ?? []
    const made = `${prefix}66f2a0c1d4e5f6071829${(0x4000 + this.#made++).toString(16)}`
    this.#examples.set(id, made)
    return made
  }
}
