/**
 * The cursor of a poll: a position in the deliveries of one subscription. It also names the subscription, because
 * positions of another would acknowledge events that nobody has seen.
 */
import { crc32 } from 'node:zlib'

const DELIVERY = 'dlv_'
const POSITION_BYTES = 12
const OWNER_BYTES = 4

/** @param position the id of a delivery, or one that sorts like it */
export function writeCursor(webhook_id: string, position: string): string {
  const bytes = Buffer.from(position.slice(DELIVERY.length), 'hex')
  return Buffer.concat([bytes, ownerOf(webhook_id)]).toString('base64url')
}

/** The position; undefined for text that is no cursor of this subscription. */
export function readCursor(webhook_id: string, cursor: string): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length !== POSITION_BYTES + OWNER_BYTES || bytes.toString('base64url') !== cursor) return undefined
  if (!bytes.subarray(POSITION_BYTES).equals(ownerOf(webhook_id))) return undefined
  return `${DELIVERY}${bytes.toString('hex', 0, POSITION_BYTES)}`
}

/** A checksum of the id: ids share their beginnings within a second, and their ends between quiet seconds. */
function ownerOf(webhook_id: string): Buffer {
  const bytes = Buffer.alloc(OWNER_BYTES)
  bytes.writeUInt32BE(crc32(webhook_id))
  return bytes
}
