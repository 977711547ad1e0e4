/**
 * Ids are 24 hex digits in the layout of an ObjectId: 4 bytes seconds, 5 bytes of this process, 3 bytes counter. Within
 * a process each id is greater than the one before, so that `order by id` is the order of creation. Between processes
 * the order is that of the seconds, which are those of the database (`time.ts`).
 *
 * The seconds stand still while the clock is up to `LEAD_S` behind them. When the clock goes back further, because that
 * of the database was corrected, the ids go back with it; a new process part distinguishes them from earlier ids.
 */
import { randomBytes } from 'node:crypto'
import { now } from './time.ts'

/** Seconds of slack that queries by time leave around ids (`queries/deliveries.ts`, `queries/reconcile.ts`). */
const LEAD_S = 2
let processPart = newProcessPart()
let second = 0
let counter = 0
let head = ''

export type IdPrefix = 'msg' | 'wh' | 'dlv' | 'evt' | 'brd'

/** A new id without prefix, e.g. for a contact. `moment`: milliseconds since the epoch. */
export function objectId(moment: number = now()): string {
  const wanted = Math.floor(moment / 1000)
  if (wanted > second) startSecond(wanted)
  else if (second - wanted > LEAD_S) {
    processPart = newProcessPart()
    startSecond(wanted)
  } else if (counter > 0xffffff) startSecond(second + 1)
  return head + (counter++).toString(16).padStart(6, '0')
}

/** A new id with the prefix of its kind: `prefixedId('msg')` is `msg_` and 24 hex digits. */
export function prefixedId(prefix: IdPrefix): string {
  return `${prefix}_${objectId()}`
}

/** True for the shape of an id without prefix, in lower case as it is stored. */
export function isObjectId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text)
}

/** True when the text has the shape of an id with this prefix. */
export function isPrefixedId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && isObjectId(text.slice(prefix.length + 1))
}

/** The year 2106: ids have four bytes for the time. */
const LAST_SECOND = 0xffffffff

/**
 * The smallest id of a moment: rows created before it have smaller ids. Used to cut by age along the primary key.
 * Moments outside the range of ids get the nearest id.
 */
export function objectIdAt(moment: Date): string {
  const seconds = Math.min(Math.max(Math.floor(moment.getTime() / 1000), 0), LAST_SECOND)
  return `${seconds.toString(16).padStart(8, '0')}${'0'.repeat(16)}`
}

function startSecond(next: number): void {
  second = next
  counter = 0
  head = second.toString(16).padStart(8, '0') + processPart
}

function newProcessPart(): string {
  return randomBytes(5).toString('hex')
}
