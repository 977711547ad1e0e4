/**
 * WhatsApp lets the one who sends choose the id of a message, and takes a repeat of an id for the same message. So ours
 * goes in it: a message that is sent again because its answer was lost arrives once, and each status names it. Gateways
 * that do not know `messageId` yet choose an id of their own.
 */

/** How WhatsApp's web clients begin theirs. */
const WEB = '3EB0'

/** Of our id, `msg_` and 24 hexadecimal digits. */
export function keyIdOf(opaque: string): string {
  return WEB + opaque.replace(/^msg_/, '').toUpperCase()
}

/** Our id, when the key's id was made of one. */
export function opaqueOf(key_id: string): string | null {
  const digits = /^3EB0([0-9A-F]{24})$/.exec(key_id)?.[1]
  return digits === undefined ? null : `msg_${digits.toLowerCase()}`
}
