/**
 * WhatsApp's own addresses in its web protocol: `5511999999999@s.whatsapp.net` for a person with a number, `…@lid` for
 * one whose number is hidden, `…@g.us` for a group, `status@broadcast`. A device follows a colon.
 */
import { isObject, type Json, textOf } from '../json.ts'

/** Digits of the phone number; undefined when the address hides it or is not a person's. */
export function phoneOf(jid: unknown): string | undefined {
  return /^(\d{5,20})(?::\d+)?@(?:s\.whatsapp\.net|c\.us)$/.exec(textOf(jid) ?? '')?.[1]
}

/** A hidden address without its device, such as `123456789012345@lid`. */
function lidOf(jid: unknown): string | undefined {
  const digits = /^(\d{5,20})(?::\d+)?@lid$/.exec(textOf(jid) ?? '')?.[1]
  return digits === undefined ? undefined : `${digits}@lid`
}

/**
 * The person of a key's chat. Undefined for groups, broadcasts and channels. The position of the number differs between
 * versions.
 */
export function personOf(key: unknown): { user_id: string | null; bsuid: string | null } | undefined {
  if (!isObject(key)) return undefined
  const { remoteJid, remoteJidAlt, senderPn }: Json = key
  const bsuid = lidOf(remoteJid) ?? lidOf(remoteJidAlt) ?? null
  const user_id = phoneOf(remoteJid) ?? (bsuid === null ? undefined : (phoneOf(remoteJidAlt) ?? phoneOf(senderPn)))
  return user_id === undefined && bsuid === null ? undefined : { user_id: user_id ?? null, bsuid }
}
