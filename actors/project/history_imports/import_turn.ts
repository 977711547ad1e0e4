/** The counts and the people of a slice, while its parts are stored. */
import { Contact, type HistoryImport } from '../../../storage/mod.ts'
import type { HistoryItem, Providers } from '../../providers/mod.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { storeImported } from './imported_message.ts'
import { takeName } from './taken_name.ts'

type Seen = { contact: Contact; is_new: boolean; first: Date; last: Date }

export class ImportTurn {
  readonly turn: ProjectTurn
  readonly webhooks: boolean
  readonly providers: Providers
  waiting_count: number
  message_count: number
  known_count: number
  unreadable_count: number
  name_count: number
  readonly #seen = new Map<string, Seen>()

  constructor(turn: ProjectTurn, row: HistoryImport, providers: Providers) {
    this.turn = turn
    this.providers = providers
    this.webhooks = row.webhooks
    this.waiting_count = row.waiting_count
    this.message_count = row.message_count
    this.known_count = row.known_count
    this.unreadable_count = row.unreadable_count
    this.name_count = row.name_count
  }

  take(channel: ProjectChannel, item: HistoryItem): void {
    if (item.kind === 'unreadable') this.unreadable_count++
    else if (item.kind === 'name') {
      if (takeName(this.turn, channel, item)) this.name_count++
    } else {
      const stored = storeImported(this, channel, item)
      if (stored === 'new') this.message_count++
      else if (stored === 'known') this.known_count++
      else this.unreadable_count++
    }
  }

  /** The contact wrote or was written to at this time. `is_new`: the import has made the contact. */
  see(contact: Contact, is_new: boolean, at: Date): void {
    const seen = this.#seen.get(contact._id)
    if (!seen) this.#seen.set(contact._id, { contact, is_new, first: at, last: at })
    else {
      if (at < seen.first) seen.first = at
      if (at > seen.last) seen.last = at
    }
  }

  /** Stores when the people of the slice were seen. */
  end(): void {
    for (const { contact, is_new, first, last } of this.#seen.values()) {
      const first_seen_at = is_new || first < contact.first_seen_at ? first : contact.first_seen_at
      const last_seen_at = is_new || last > contact.last_seen_at ? last : contact.last_seen_at
      if (+first_seen_at === +contact.first_seen_at && +last_seen_at === +contact.last_seen_at) continue
      Object.assign(contact, { first_seen_at, last_seen_at })
      this.turn.update(Contact, { _id: contact._id }, { first_seen_at, last_seen_at })
    }
  }
}
