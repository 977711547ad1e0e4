import { ControlRefusal } from '../answer.ts'
import { waIdOf } from './numbers.ts'

/** Both ids of a person: the number in digits, and the business-scoped id. */
type PersonIds = { wa_id: string; user_id: string }

/** The latest people who were made known by both ids. */
const PEOPLE_KEPT = 10_000

/** People of whom WhatsApp tells both ids, in the answer to a send and in statuses. */
export class People {
  readonly #by_id = new Map<string, PersonIds>()

  /** A number has one business-scoped id, and the id one number. Throws ControlRefusal. */
  put({ phone, user_id, ...rest }: Record<string, unknown>): PersonIds {
    const [unknown] = Object.keys(rest)
    if (unknown !== undefined) throw new ControlRefusal(`A person has no field "${unknown}"; it takes phone, user_id.`)
    const wa_id = typeof phone === 'string' ? waIdOf(phone.replace(/\D/g, '')) : ''
    if (!/^\d{5,20}$/.test(wa_id)) throw new ControlRefusal('phone must be a phone number such as "+15551234567".')
    if (typeof user_id !== 'string' || !/^[A-Z]{2}\.\S{1,150}$/.test(user_id))
      throw new ControlRefusal('user_id must be a user id such as "US.13491208655302741918".')
    this.#forget(this.find(wa_id))
    this.#forget(this.find(user_id))
    const person = { wa_id, user_id }
    for (const id of [wa_id, user_id]) this.#by_id.set(id, person)
    const [oldest] = this.#by_id.values()
    if (this.#by_id.size > 2 * PEOPLE_KEPT) this.#forget(oldest)
    return person
  }

  /** The person with this number or this business-scoped id. */
  find(id: string): PersonIds | undefined {
    return this.#by_id.get(id)
  }

  all(): PersonIds[] {
    return [...new Set(this.#by_id.values())]
  }

  #forget(person: PersonIds | undefined): void {
    if (person) for (const id of [person.wa_id, person.user_id]) this.#by_id.delete(id)
  }
}
