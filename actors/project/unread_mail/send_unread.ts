/** Sends a visitor who has gone one e-mail with the messages that are unread. */
import { Refusal, Unavailable } from '../../../runtime/mod.ts'
import { type Contact, newDate, prefixedId, readUnreadByVisitors, type UnreadByVisitor } from '../../../storage/mod.ts'
import { accountOf } from '../channels/account.ts'
import { contactReads } from '../contacts/reads.ts'
import { setUnreadTimer, type UnreadMailDue } from '../contacts/unread_timer.ts'
import { expectRoom, queueMessage } from '../messages/queue_message.ts'
import type { ProjectContext, Receiver } from '../turn/feature.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { mailText } from './mail_text.ts'

/** Maximum e-mails to a contact in a day. */
const MAX_MAILS = 3
const DAY_MS = 24 * 3_600_000
/** The time after which a lost answer is asked for again, and a full channel or a contact with a merge under way is tried again. */
const AGAIN_MS = 60_000

/** From the question after the timer. `is_here`: null when the question was lost. */
type UnreadMailChecked = UnreadMailDue & { is_here: boolean | null }

/** The messages that contacts have not read, by contact. */
const unreadReads: ReadKind<Set<string>, Map<string, UnreadByVisitor>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { project_id } }) {
    const day_ago = new Date(newDate().getTime() - DAY_MS)
    for (const [id, one] of await readUnreadByVisitors(database, project_id, [...ids], day_ago)) found.set(id, one)
  },
}

function wantUnread(reads: Reads, { contact_id }: UnreadMailDue): void {
  reads.of(contactReads).ids.add(contact_id)
  reads.of(unreadReads).add(contact_id)
}

/** From the timer: asks whether the visitor has the chat open. The timer stays until the answer is there. */
export const unreadMailDue: Receiver<UnreadMailDue> = {
  reads: wantUnread,
  receive(turn, { contact_id, name }, { isVisitorHere }) {
    const due = { contact_id, name }
    const mail = mailDue(turn, due)
    if (!mail) return
    setUnreadTimer(turn, due, turn.now.getTime() + AGAIN_MS)
    const pages = new Map(mail.unread.map(({ channel_id, to: user_id }) => [user_id, { channel_id, user_id }]))
    turn.work(async () => {
      const here = await Promise.all([...pages.values()].map(isVisitorHere))
      const is_here = here.includes(true) || (here.includes(undefined) ? null : false)
      return { type: 'unread_mail_checked', ...due, is_here }
    })
  },
}

export const unreadMailChecked: Receiver<UnreadMailChecked> = {
  reads: wantUnread,
  receive(turn, { contact_id, name, is_here }, context) {
    const due = { contact_id, name }
    // The timer asks again.
    if (is_here === null) return
    turn.cancel(name)
    const mail = mailDue(turn, due)
    if (!mail) return
    if (is_here) setUnreadTimer(turn, due, turn.now.getTime() + turn.state.unread_mail_minutes! * 60_000)
    else send(turn, due, mail, context)
  },
}

type Mail = { contact: Contact; channel: ProjectChannel; shop: ProjectChannel; unread: UnreadByVisitor['unread'] }

/** Undefined when there is nothing to send, or nothing may be sent. */
function mailDue(turn: ProjectTurn, due: UnreadMailDue): Mail | undefined {
  const { state, records, now } = turn
  const contact = records.of(contactReads).by_id.get(due.contact_id)
  const found = records.of(unreadReads).get(due.contact_id)
  if (state.unread_mail_minutes === null || !contact?.email || contact.merged_into || !found) return undefined
  if (contact.consent?.marketing === 'stopped') return undefined
  const { unread, mailed_at, is_moving } = found
  if (is_moving) {
    setUnreadTimer(turn, due, now.getTime() + AGAIN_MS)
    return undefined
  }
  const channel = mailChannel(state.channels)
  const shop = state.channels.get(unread.at(-1)?.channel_id ?? '')
  if (!channel || !shop) return undefined
  const free_at = (mailed_at[MAX_MAILS - 1]?.getTime() ?? Number.NEGATIVE_INFINITY) + DAY_MS
  if (free_at > now.getTime()) {
    setUnreadTimer(turn, due, free_at)
    return undefined
  }
  return { contact, channel, shop, unread }
}

/** The first active e-mail channel of the project. */
function mailChannel(channels: Map<string, ProjectChannel>): ProjectChannel | undefined {
  const active = [...channels.values()].filter((one) => one.channel_type === 'email' && one.is_active)
  return active.sort((one, other) => (one.id < other.id ? -1 : 1))[0]
}

/** The e-mail says how far the messages were mailed (`unread_up_to`), so none is mailed twice. */
function send(turn: ProjectTurn, due: UnreadMailDue, mail: Mail, { providers }: ProjectContext): void {
  const { contact, channel, shop, unread } = mail
  const provider = providers.of(channel)
  if (!provider) return
  const id = prefixedId('msg')
  const to = contact.email!
  const { subject, body } = mailText(contact, unread, shop)
  const text = { type: 'text', body } as const
  let request: Record<string, unknown>
  try {
    expectRoom(turn, channel)
    request = provider.build(text, {
      account: accountOf(channel),
      to,
      opaque: id,
      meta_data: { subject },
      is_automatic: true,
      fileOf: () => {
        throw new Error('the e-mail has no files')
      },
    })
  } catch (error) {
    if (error instanceof Unavailable) setUnreadTimer(turn, due, turn.now.getTime() + AGAIN_MS)
    // An address that no e-mail can have.
    else if (!(error instanceof Refusal)) throw error
    return
  }
  const message = { ...text, ...provider.marks?.(request), unread_up_to: unread.at(-1)!.id }
  queueMessage(turn, channel, contact, { id, to, message, context: null, meta_data: null, reserved: null }, request)
  turn.records.of(unreadReads).delete(contact._id)
}
