/**
 * Conversations that several apps of the business share, and the app that holds each: only that one gets the messages of the
 * person as its own, and answers them. No provider can be asked who it is, so it is known from what the provider tells.
 *
 *  T1 The latest news counts, by the provider's time, in whatever order it arrives. In one second a handover counts more than
 *     a message.
 *  T2 A message on standby shows that another app holds the conversation, any other one that Parley does.
 *  T3 A message of ours that the provider accepts takes the conversation over, unless it is a template.
 *  T4 Nobody holds a conversation any more when the person has been silent for a day.
 *  T5 Nothing is stored of a conversation until another app has to do with it.
 *  T6 Contacts that were merged are one person, and have one conversation on a channel: that of the contact that stays.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Contact, Thread } from '../../../storage/mod.ts'
import type { Standby } from '../../providers/mod.ts'
import { changeContact, noteOfContact } from '../contacts/contact.ts'
import { survivorOf } from '../contacts/reads.ts'
import { threadMoved } from '../tickets/system_events.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Milliseconds. */
const DAY_MS = 86_400_000

/** An act of Parley itself (`own`) comes after all that is known. `by`: the author of a message. `identity_id`: the contact under whose ids
 * the conversation is, where that is known. */
type Cause = { kind: 'message' | 'handover' | 'own'; by: 'person' | 'business'; identity_id?: string | undefined }

/**
 * `user_id`: the agent who moved the conversation. `note`: the words of the app that let it go. `is_passed`: the other app
 * passed it, so that the person waits for an answer.
 */
type News = Pick<Thread, 'holder' | 'is_guess'> & {
  at: Date
  user_id?: string | null
  note?: string | null
  is_passed?: boolean
}

/** The app that holds the conversation at this moment; undefined where the provider never told of another app. */
function holderOf(contact: Contact, channel_id: string, now: Date): Thread['holder'] | undefined {
  const thread = contact.threads?.[channel_id]
  return thread && (new Date(thread.ends_at) > now ? thread.holder : 'nobody')
}

/** The other app that holds the conversation, if one does. */
export function otherHolder(contact: Contact, channel_id: string, now: Date): Standby['holder'] | undefined {
  return otherApp(holderOf(contact, channel_id, now))
}

function otherApp(holder: Thread['holder'] | undefined): Standby['holder'] | undefined {
  return holder === 'meta_agent' || holder === 'app' ? holder : undefined
}

/** The app that a message on standby tells of: where the provider names none, the one that held the conversation last. */
export function standbyHolder(
  { threads }: Contact,
  channel_id: string,
  { holder, is_guess }: Standby,
): Standby['holder'] {
  return (is_guess && threads?.[channel_id]?.other) || holder
}

/** A message shows who holds the conversation. `standby`: another app does. `by`: the author. */
export function heardOf(
  turn: ProjectTurn,
  identity: Contact,
  channel_id: string,
  { standby, at, by }: { standby?: Standby | undefined; at: Date; by: Cause['by'] },
): void {
  const contact = survivorOf(turn.records, identity)
  const known = contact.threads?.[channel_id]
  if (!standby && !known) return
  const cause = { kind: 'message', by, identity_id: identity._id } as const
  // The person has written to Parley since, when nothing was known of another app.
  const windows = contact.send_to?.windows ?? contact.windows
  const wrote_at = new Date(Date.parse(windows[channel_id] ?? '') - DAY_MS)
  if (!known && wrote_at > at) {
    hold(turn, contact, channel_id, { holder: 'parley', at: wrote_at }, cause)
    return
  }
  const holder = standby ? standbyHolder(contact, channel_id, standby) : 'parley'
  hold(turn, contact, channel_id, { holder, at, is_guess: standby?.is_guess === true }, cause)
}

/** The conversations of two contacts that become one: of each channel what was told last. */
export function joinedThreads(one: Contact, other: Contact): Contact['threads'] {
  const threads = { ...one.threads }
  for (const [channel_id, thread] of Object.entries(other.threads ?? {})) {
    const mine = threads[channel_id]
    if (!mine || thread.told_at > mine.told_at) threads[channel_id] = { contact_id: other._id, ...thread }
  }
  return one.threads || other.threads ? threads : null
}

/** The threads of a contact that is separated into two: those of `parts`, which become `former`, and the others. */
export function separateThreads(
  { threads }: Contact,
  former: Contact,
  parts: readonly string[],
): { theirs: Contact['threads']; kept: Contact['threads'] } {
  const all = Object.entries(threads ?? {})
  const isGiven = ({ contact_id }: Thread) => contact_id !== undefined && parts.includes(contact_id)
  const theirs = all.flatMap(([channel_id, thread]) => {
    const { contact_id, ...own } = thread
    return isGiven(thread) ? [[channel_id, contact_id === former._id ? own : thread] as const] : []
  })
  const kept = all.filter(([, thread]) => !isGiven(thread))
  const of = (some: readonly (readonly [string, Thread])[]) => (some.length > 0 ? Object.fromEntries(some) : null)
  return { theirs: of(theirs), kept: of(kept) }
}

/**
 * A conversation went to another app, or came to Parley. `own`: Parley took it, or let it go. `identity_id`: the contact under
 * whose ids it is, which may be merged into this one.
 */
export function handedOver(
  turn: ProjectTurn,
  contact: Contact,
  channel_id: string,
  news: News,
  kind: 'handover' | 'own',
  identity_id?: string,
): void {
  hold(turn, contact, channel_id, news, { kind, by: 'business', identity_id })
}

function hold(
  turn: ProjectTurn,
  contact: Contact,
  channel_id: string,
  { holder, at, user_id = null, note = null, is_passed = false, is_guess = false }: News,
  cause: Cause,
): void {
  const known = contact.threads?.[channel_id]
  const told_at = new Date(Math.min(at.getTime(), turn.now.getTime())).toISOString()
  const ends_at = endOf(known, told_at, cause.by)
  const latest = { told_at: later(known?.told_at, told_at), ends_at, is_guess }
  const owner = cause.identity_id ?? known?.contact_id ?? contact._id
  const whose = owner === contact._id ? {} : { contact_id: owner }
  const withThread = (thread: Thread) => ({ threads: { ...contact.threads, [channel_id]: thread } })
  if (known && !changesHolder(known, holder, told_at, cause)) {
    const is_news = isNews(known, told_at, cause)
    const since = is_news && known.ends_at <= told_at ? told_at : known.since
    const { contact_id: _, ...rest } = known
    const next = {
      ...(is_news ? { ...rest, ...whose } : known),
      ...latest,
      since,
      is_guess: known.is_guess === true && (!is_news || is_guess),
    }
    if (!isDeepStrictEqual(next, known)) noteOfContact(turn, contact, withThread(next))
    return
  }
  const previous_holder = known ? (known.ends_at > told_at ? known.holder : 'nobody') : null
  const other = otherApp(holder) ?? known?.other
  changeContact(turn, contact, withThread({ holder, since: told_at, ...latest, ...(other && { other }), ...whose }))
  threadMoved(turn, contact, { channel_id, holder, previous_holder, note, user_id }, is_passed)
}

function changesHolder(known: Thread, holder: Thread['holder'], told_at: string, cause: Cause): boolean {
  // A handover that came after what it led to: it names the app, or has words of it.
  const is_late = cause.kind === 'handover' && told_at < known.told_at
  if (is_late && known.holder === holder) return told_at < known.since
  if (is_late && known.is_guess && holder !== 'parley') return true
  return known.holder !== holder && isNews(known, told_at, cause)
}

/** Providers tell whole seconds, so that news of one second have no order of their own. */
function isNews(known: Thread, told_at: string, { kind }: Cause): boolean {
  if (kind === 'own' || known.told_at < told_at) return true
  return known.told_at === told_at && (kind === 'handover' || known.holder === 'nobody')
}

/** The person's silence begins with the person's last message. */
function endOf(known: Thread | undefined, told_at: string, by: Cause['by']): string {
  const ends_at = new Date(Date.parse(told_at) + DAY_MS).toISOString()
  if (known && by === 'business' && known.ends_at > told_at) return known.ends_at
  return later(known?.ends_at, ends_at)
}

/** The later of two times in ISO 8601. */
function later(one: string | undefined, other: string): string {
  return one !== undefined && one > other ? one : other
}
