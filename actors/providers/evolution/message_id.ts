/**
 * Message ids made from ours. WhatsApp lets the sender choose the id of a message, and takes a repeated id for the same
 * message. So a message that is sent again because its answer was lost arrives once, and each status names our id.
 * Gateways that do not know `messageId` yet choose an id of their own.
 */

/** Prefix of ids of WhatsApp's web clients. */
const WEB = '3EB0'

/** The key's id for our id, `msg_` and 24 hexadecimal digits. */
export function keyIdOf(opaque: string): string {
  return WEB + opaque.replace(/^msg_/, '').toUpperCase()
}

/** Our id, when the key's id was made from one. */
export function opaqueOf(key_id: string): string | null {
  const digits = /^3EB0([0-9A-F]{24})$/.exec(key_id)?.[1]
  return digits === undefined ? null : `msg_${digits.toLowerCase()}`
}
