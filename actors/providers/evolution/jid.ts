/**
 * WhatsApp's own addresses in its web protocol: `5511999999999@s.whatsapp.net` for a person with a number, `…@lid` for
 * one whose number is hidden, `…@g.us` for a group, `status@broadcast`. A device follows a colon. Businesses whose messages
 * Meta keeps have `…@hosted` and `…@hosted.lid`.
 */
import { isObject, type Json, textOf } from '../json.ts'

/** Digits of the phone number; undefined when the address hides it or is not a person's. */
export function phoneOf(jid: unknown): string | undefined {
  return /^(\d{5,20})(?::\d+)?@(?:s\.whatsapp\.net|c\.us|hosted)$/.exec(textOf(jid) ?? '')?.[1]
}

/** A hidden address without its device, such as `123456789012345@lid`. */
function lidOf(jid: unknown): string | undefined {
  const digits = /^(\d{5,20})(?::\d+)?@(?:hosted\.)?lid$/.exec(textOf(jid) ?? '')?.[1]
  return digits === undefined ? undefined : `${digits}@lid`
}

/**
 * The person of a key's chat. Undefined for groups, broadcasts and channels. The positions of the number and of the
 * hidden address differ between versions: some replace the one in `remoteJid` by the other.
 */
export function personOf(key: unknown): { user_id: string | null; bsuid: string | null } | undefined {
  if (!isObject(key)) return undefined
  const { remoteJid, remoteJidAlt, previousRemoteJid, senderPn, senderLid }: Json = key
  if (phoneOf(remoteJid) === undefined && lidOf(remoteJid) === undefined) return undefined
  const jids = [remoteJid, remoteJidAlt, previousRemoteJid, senderPn, senderLid]
  return { user_id: firstOf(jids, phoneOf) ?? null, bsuid: firstOf(jids, lidOf) ?? null }
}

/** A chat that is no person's; undefined for one of a person, and for what is no address. */
export function kindOfChat(jid: unknown): 'group' | 'broadcast' | 'newsletter' | undefined {
  const server = /@(g\.us|broadcast|newsletter)$/.exec(textOf(jid) ?? '')?.[1]
  return server === 'g.us' ? 'group' : (server as 'broadcast' | 'newsletter' | undefined)
}

function firstOf(jids: unknown[], read: (jid: unknown) => string | undefined): string | undefined {
  return jids.map(read).find((id) => id !== undefined)
}
