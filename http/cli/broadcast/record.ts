import type { Broadcast } from '../../client/mod.ts'
import { printable } from '../terminal/terminal.ts'

export type { Broadcast } from '../../client/mod.ts'

export const BROADCASTS = '/v1/messages/bulk'

export const STATUSES = ['queued', 'sending', 'completed', 'failed', 'cancelled'] as const

/** @throws {ApiRefusal} when called: NOT_FOUND among others */
export function broadcastPath(id: string): string {
  return `${BROADCASTS}/${encodeURIComponent(id)}`
}

export const hasEnded = ({ status }: Broadcast) => status !== 'queued' && status !== 'sending'

/** Number of messages that were handed to the provider or never will be. */
export const doneOf = ({ total, pending_count }: Broadcast) => total - pending_count

/** `1 pending, 8 sent, 60 delivered, 30 read, 1 failed`, without zero counts. */
export function countsOf(broadcast: Broadcast): string {
  const { pending_count, sent_count, delivered_count, read_count, failed_count } = broadcast
  const counts = { pending_count, sent_count, delivered_count, read_count, failed_count }
  const some = Object.entries(counts).filter(([, count]) => count > 0)
  return some.map(([name, count]) => `${count} ${name.replace('_count', '')}`).join(', ') || 'nobody yet'
}

/** `brd_… is completed: 8 sent, 2 failed, of 10.` */
export function sentence(broadcast: Broadcast): string {
  const { id, status, total } = broadcast
  return `${printable(id)} is ${status}: ${countsOf(broadcast)}, of ${total}.`
}
