/**
 * Ids are 24 hex digits in the layout of an ObjectId: 4 bytes seconds, 5 bytes with the milliseconds (10 bits) and a
 * random number of this process (30 bits), 3 bytes counter. `order by id` is the order of creation:
 *
 *  D1 Within a process each id is greater than the one before.
 *  D2 The owner of a partition gives out greater ids than all owners before it, those of earlier versions included, whose
 *     ids have random bits instead of milliseconds (`outrunOwners`).
 *  D3 Other processes' ids are in the order of their moments, as far as their clocks agree. All follow the database's
 *     (`time.ts`).
 *
 * The moment of ids stands still while the clock is up to `LEAD_MS` behind it. When the clock goes back further, because
 * that of the database was corrected, the ids go back with it; a new random number distinguishes them from earlier ids.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { HELD_MS, now } from './time.ts'

/** Slack that queries by time leave around ids (`queries/webhooks/deliveries.ts`, `queries/webhooks/reconcile.ts`). */
const LEAD_MS = 2000
const PROCESSES = 2 ** 30
let process_number = randomInt(PROCESSES)
/** The moment of the latest id, in milliseconds since the epoch. */
let latest = 0
let counter = 0
let head = ''

export type IdPrefix = 'msg' | 'wh' | 'dlv' | 'evt' | 'brd'

/** A new id without prefix, e.g. for a contact. `moment`: milliseconds since the epoch. */
export function objectId(moment: number = now()): string {
  if (moment > latest) startAt(moment)
  else if (latest - moment > LEAD_MS) {
    process_number = (process_number + 1 + randomInt(PROCESSES - 1)) % PROCESSES
    startAt(moment)
  }
  if (counter > 0xffffff) {
    startAt(latest + 1)
    counter = 0
  }
  return head + (counter++).toString(16).padStart(6, '0')
}

/** A new id with the prefix of its kind: `prefixedId('msg')` is `msg_` and 24 hex digits. */
export function prefixedId(prefix: IdPrefix): string {
  return `${prefix}_${objectId()}`
}

/**
 * Ids are from now on greater than all that former owners of a partition have given out. Call after taking it. `taken_ms`:
 * the database's time at which it was taken.
 *
 * The clock of a former owner was less than `HELD_MS` ahead of the database (`time.ts`), and so was what it added when it
 * took the partition itself, at an earlier time of the database. The whole second that this adds is also enough for ids
 * without milliseconds.
 */
export function outrunOwners(taken_ms: number): void {
  const least = Math.ceil(taken_ms) + HELD_MS
  if (least > latest) startAt(least)
}

/** Ids are from now on greater than this one, with or without prefix, which another process has made. */
export function outrunId(id: string): void {
  const digits = id.slice(-24)
  const moment = Number.parseInt(digits.slice(0, 8), 16) * 1000 + Math.min(millisecondsOf(digits), 999)
  // A clock that is this far off is nobody's to follow.
  if (moment >= latest && moment - now() < LEAD_MS) startAt(moment + 1)
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
 * The smallest id of a second: rows created before it have smaller ids. Used to cut by age along the primary key.
 * Moments outside the range of ids get the nearest id.
 */
export function objectIdAt(moment: Date): string {
  const seconds = Math.min(Math.max(Math.floor(moment.getTime() / 1000), 0), LAST_SECOND)
  return `${secondDigits(seconds)}${'0'.repeat(16)}`
}

/** The moment and the number of the last id of a past second. */
let past = { second: 0, count: 0 }

/**
 * A new id of a past moment: its second, then the order in which ids of that second were asked for without another one
 * between, then random digits. For records that take their place among those of their own time.
 */
export function pastId(moment: Date): string {
  const second = Math.min(Math.max(Math.floor(moment.getTime() / 1000), 0), LAST_SECOND)
  past = second === past.second ? { second, count: past.count + 1 } : { second, count: 0 }
  const order = (past.count % 0x10000).toString(16).padStart(4, '0')
  return secondDigits(second) + order + randomBytes(6).toString('hex')
}

function startAt(moment: number): void {
  latest = Math.floor(moment)
  const second = Math.floor(latest / 1000)
  const rest = (latest - second * 1000) * PROCESSES + process_number
  head = secondDigits(second) + rest.toString(16).padStart(10, '0')
}

const secondDigits = (second: number): string => second.toString(16).padStart(8, '0')

const millisecondsOf = (digits: string): number => Math.floor(Number.parseInt(digits.slice(8, 18), 16) / PROCESSES)
