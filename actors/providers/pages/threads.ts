/** Conversations of a page or an account that another app holds. */
import { isObject, type Json, textOf } from '../json.ts'
import type { Inbound, InboundThread, Standby, ThreadMove } from '../provider.ts'

type Event = { account: string; person: string; at: Date; raw: Json }

/** The id of Meta's own agent for pages. It is the same for all of them. */
const AGENT_APP_ID = '622851382610562'

/** The app that sent a message, by the id in its echo, or the one that holds a conversation. */
export function appOf({ app_id }: Json): 'meta_agent' | 'app' {
  return textOf(app_id) === AGENT_APP_ID ? 'meta_agent' : 'app'
}

/** The app that holds a conversation after a change of this one. */
export function holderAfter(move: ThreadMove): 'parley' | 'meta_agent' | 'app' | 'nobody' {
  if (move.action === 'take') return 'parley'
  return move.action === 'release' ? 'nobody' : appOf({ app_id: move.to })
}

/** The item of an event that came in `standby`: another app answers the person. */
export function inStandby({ message }: Json, items: Inbound[]): Inbound[] {
  const sender = isObject(message) ? textOf(message.app_id) : null
  const standby: Standby = sender === null ? { holder: 'app', is_guess: true } : { holder: appOf(message as Json) }
  return items.map((item) => (item.kind === 'message' || item.kind === 'echo' ? { ...item, standby } : item))
}

/**
 * A conversation that came to this app (`pass_thread_control`) or was taken from it, or the wish of another app for it.
 * Undefined for an event that is not about that.
 */
export function toHandover({ account, person, at, raw }: Event): Inbound | undefined {
  const about = { kind: 'thread', account, user_id: person, bsuid: null, name: null, at } as const
  const { pass_thread_control: passed, take_thread_control: taken, request_thread_control: requested } = raw
  if (isObject(passed)) return { ...about, event: 'passed', holder: holderOf(passed, 'parley'), note: noteOf(passed) }
  if (isObject(taken)) return { ...about, event: 'taken', holder: holderOf(taken, 'app'), note: noteOf(taken) }
  return isObject(requested) ? { ...about, event: 'requested', note: noteOf(requested) } : undefined
}

function holderOf({ new_owner_app_id }: Json, usual: 'parley' | 'app'): 'parley' | 'app' | 'meta_agent' {
  return textOf(new_owner_app_id) === AGENT_APP_ID ? 'meta_agent' : usual
}

function noteOf({ metadata, thread_control_metadata: more }: Json): InboundThread['note'] {
  return (isObject(more) ? textOf(more.text) : null) ?? textOf(metadata)
}
