/**
 * Ids of the mails that Parley sends: `<msg_….seal@domain>`. Ids of messages are in the order of their creation, so whoever
 * got one mail could guess the ids of others, and report that they came back. The seal proves that a report names a mail
 * that its sender has seen.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Credentials } from '../provider.ts'

const SEALED = /^<(msg_[0-9a-f]{24})\.([0-9a-f]{16})@/

/** The part of a Message-ID before the `@`. */
export function sealed(id: string, credentials: Credentials): string {
  return `${id}.${sealOf(id, credentials)}`
}

/** Our id in a Message-ID that has the right seal. Mails under a former secret are found by their whole Message-ID. */
export function sealedIdIn(message_id: string, credentials: Credentials): string | null {
  const [, id, seal] = SEALED.exec(message_id) ?? []
  if (id === undefined || seal === undefined) return null
  return timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(id, credentials))) ? id : null
}

function sealOf(id: string, { inbound_secret = '' }: Credentials): string {
  return createHmac('sha256', inbound_secret).update(`Message-ID ${id}`).digest('hex').slice(0, 16)
}
