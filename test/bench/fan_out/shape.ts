import { dataOf, EVENT_TYPE } from '../ingest/shape.ts'

/** Pages of one project, half of them at each node. */
export const PAGES = 5000

/** The key of an operation's number in the text of an event. */
const NUMBER = /"order":"A-(\d+)"/g

/** The live event of an operation, as consoles receive it: about 500 bytes. */
export function eventOf(n: number): { type: string; data: object } {
  const id = n.toString(16).padStart(24, '0')
  const happened_at = '2026-11-21T10:15:30.000Z'
  const owner = { _id: id, chat_user: '6743a1f0c2b7e9d4a1b2c3d4', ticket_id: '6743a1f0c2b7e9d4a1b2c3d5' }
  return { type: 'event.recorded', data: { ...owner, event_type: EVENT_TYPE, data: dataOf(n), happened_at } }
}

/** The numbers of the operations whose events are in this text. */
export function* numbersIn(text: string): Generator<number> {
  for (const [, n] of text.matchAll(NUMBER)) yield Number(n)
}

/** The file, in a node's data directory, with the port at which it takes lines. */
export const PORT_FILE = 'publisher.port'

/** Names of the figures. */
export const MISSING = 'events that a page did not receive'
export const AGAIN = 'events received twice'
export const MEMORY = 'KiB of memory for each socket'
export const RESYNCS = 'pages told to read again'
export const LOAD = 'load average of the machine'
