import { ControlRefusal } from './answer.ts'

/** The app that holds a conversation. `parley`: the receiver of the webhook. */
export type ThreadHolder = 'parley' | 'meta_agent' | 'app' | 'nobody'

const HOLDERS = ['parley', 'meta_agent', 'app']

/** Conversations that several apps share. One that nobody has moved is the receiver's. */
export class Threads {
  readonly #by_person = new Map<string, { holder: ThreadHolder; usual: ThreadHolder }>()

  holderOf(account_id: string, person: string): ThreadHolder {
    return this.#by_person.get(keyOf(account_id, person))?.holder ?? 'parley'
  }

  /** Returns the former holder. */
  move(account_id: string, person: string, holder: ThreadHolder): ThreadHolder {
    const former = this.holderOf(account_id, person)
    const key = keyOf(account_id, person)
    const usual = isElsewhere(holder) ? holder : (this.#by_person.get(key)?.usual ?? 'parley')
    this.#by_person.set(key, { holder, usual })
    return former
  }

  /** The person writes: a conversation that nobody holds goes to the app that answers usually. Returns the holder. */
  write(account_id: string, person: string): ThreadHolder {
    const known = this.#by_person.get(keyOf(account_id, person))
    if (known?.holder === 'nobody') known.holder = known.usual
    return known?.holder ?? 'parley'
  }
}

function keyOf(account_id: string, person: string): string {
  return `${account_id}:${person}`
}

export function isElsewhere(holder: ThreadHolder): holder is 'meta_agent' | 'app' {
  return holder === 'meta_agent' || holder === 'app'
}

/** The fields of POST /_control/threads, beside those that name the account. Throws ControlRefusal. */
export function threadMoveOf(body: Record<string, unknown>): { holder: ThreadHolder; note: string | undefined } {
  const { holder, note } = body
  if (typeof holder !== 'string' || !HOLDERS.includes(holder))
    throw new ControlRefusal(`holder must be one of ${HOLDERS.join(', ')}.`)
  if (note !== undefined && typeof note !== 'string') throw new ControlRefusal('note must be a text.')
  return { holder: holder as ThreadHolder, note }
}
