/** Turns the answers of a node into examples: the same in each recording, short, and without secrets. */
import type { Json } from '../client.ts'
import type { Places } from './records.ts'

/** Items that an example list shows. */
const MOST_ITEMS = 2
const LONGEST_TEXT = 400
const MOMENT = '2026-09-21T14:13:20.000Z'

const REPLACED: [RegExp, string][] = [
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, MOMENT],
  [/svc_pk_\w{38}/g, `svc_pk_${'x'.repeat(38)}`],
  [/svc_ok_\w{38}/g, `svc_ok_${'x'.repeat(38)}`],
  [/^svc_pk_\w{4}$/, 'svc_pk_xxxx'],
  [/^whsec_[\w+/=]{40,}$/, 'whsec_GmZ1hT/peYELRgZIMxz8hayhCARShHfoweyRaLTq9Jo='],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'https://shop.example.com'],
]

/** Facts of the machine and of its speed. */
const FIXED: Record<string, unknown> = {
  pid: 4242,
  host: 'node-1',
  duration_ms: 12,
  score: 0.61,
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
    if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => this.#shown('', item))
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
    return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text
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
