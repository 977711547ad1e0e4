import { ControlRefusal } from '../answer.ts'
import type { EvolutionInstance } from '../options.ts'

const REQUIRED = ['instance', 'api_key', 'number'] as const
const KNOWN: string[] = [...REQUIRED, 'state', 'webhook_url', 'webhook_headers']
export const STATES = ['open', 'connecting', 'close'] as const

/** The paired phones of the gateway, by their names. */
export class Instances {
  readonly #by_name = new Map<string, EvolutionInstance>()

  /** Adds an instance, or changes the given fields of an existing one. Throws ControlRefusal. */
  put(fields: Record<string, unknown>): { record: EvolutionInstance; added: boolean } {
    for (const [key, value] of Object.entries(fields)) {
      if (!KNOWN.includes(key))
        throw new ControlRefusal(`An instance has no field "${key}"; it takes ${KNOWN.join(', ')}.`)
      const fits = key === 'webhook_headers' ? typeof value === 'object' && value !== null : typeof value === 'string'
      if (!fits && !(key === 'webhook_url' && value === null))
        throw new ControlRefusal(`${key} must be ${key === 'webhook_headers' ? 'an object of headers' : 'a string'}.`)
    }
    if (fields.state !== undefined && !STATES.some((state) => state === fields.state))
      throw new ControlRefusal(`state must be one of ${STATES.join(', ')}.`)
    if (typeof fields.webhook_url === 'string' && !/^https?:\/\//.test(fields.webhook_url))
      throw new ControlRefusal('webhook_url must be an http or https URL.')
    const known = this.#by_name.get(String(fields.instance))
    const instance = { state: 'open', ...known, ...fields } as EvolutionInstance
    for (const key of REQUIRED)
      if (!instance[key]) throw new ControlRefusal(`${key} is missing: a new instance needs ${REQUIRED.join(', ')}.`)
    // Changed in place: events under way follow the instance to its new webhook.
    const kept = known ? Object.assign(known, instance) : instance
    this.#by_name.set(kept.instance, kept)
    return { record: kept, added: !known }
  }

  get(name: string): EvolutionInstance | undefined {
    return this.#by_name.get(name)
  }

  all(): EvolutionInstance[] {
    return [...this.#by_name.values()]
  }

  /** The instance of a control call: the named one, else the first. Throws ControlRefusal. */
  choose(name: unknown): EvolutionInstance {
    const instance = name === undefined ? this.all()[0] : this.get(String(name))
    if (!instance) {
      throw new ControlRefusal('There is no such instance; add one with PUT /_control/instances.', 404, 'NOT_FOUND')
    }
    return instance
  }
}

/** An instance without its secrets. */
export function instanceRecord({ api_key: _, webhook_headers: __, ...instance }: EvolutionInstance) {
  return instance
}
