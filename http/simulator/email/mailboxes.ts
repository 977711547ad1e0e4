import { ControlRefusal } from '../answer.ts'
import type { Mailbox } from '../options.ts'

const REQUIRED = ['address', 'password', 'inbound_secret'] as const
const KNOWN: string[] = [...REQUIRED, 'webhook_url']

/** The mailboxes of the simulator, by their addresses. */
export class Mailboxes {
  readonly #by_address = new Map<string, Mailbox>()

  constructor(mailboxes: Mailbox[]) {
    for (const mailbox of mailboxes) this.put(mailbox)
  }

  /** Adds a mailbox, or changes the given fields of an existing one. Throws ControlRefusal. */
  put(fields: Record<string, unknown>): { record: Mailbox; added: boolean } {
    for (const [key, value] of Object.entries(fields)) {
      if (!KNOWN.includes(key))
        throw new ControlRefusal(`A mailbox has no field "${key}"; it takes ${KNOWN.join(', ')}.`)
      if (typeof value !== 'string') throw new ControlRefusal(`${key} must be a string.`)
    }
    const known = this.get(String(fields.address))
    const mailbox = { ...known, ...fields } as Mailbox
    for (const key of REQUIRED)
      if (!mailbox[key]) throw new ControlRefusal(`${key} is missing: a new mailbox needs ${REQUIRED.join(', ')}.`)
    if (mailbox.webhook_url && !/^https?:\/\//.test(mailbox.webhook_url))
      throw new ControlRefusal('webhook_url must be an http or https URL.')
    this.#by_address.set(mailbox.address, mailbox)
    return { record: mailbox, added: !known }
  }

  get(address: string): Mailbox | undefined {
    return this.#by_address.get(address)
  }

  all(): Mailbox[] {
    return [...this.#by_address.values()]
  }

  /** The named mailbox, else the first with a webhook. Throws ControlRefusal. */
  choose(address: unknown): Mailbox & { webhook_url: string } {
    const candidates = address === undefined ? this.all() : this.all().filter((mailbox) => mailbox.address === address)
    if (candidates.length === 0)
      throw new ControlRefusal('There is no such mailbox; add one with PUT /_control/mailboxes.', 404, 'NOT_FOUND')
    const mailbox = candidates.find(({ webhook_url }) => webhook_url)
    if (mailbox) return mailbox as Mailbox & { webhook_url: string }
    const sentence = 'The mailbox has no webhook_url; set one with PUT /_control/mailboxes.'
    throw new ControlRefusal(sentence, 409, 'NO_WEBHOOK')
  }
}

/** A mailbox without its secrets. */
export function mailboxRecord({ password: _, inbound_secret: __, ...mailbox }: Mailbox) {
  return mailbox
}
