import { printable } from '../terminal.ts'

/** A broadcast as the API shows it. The counts are exclusive and add up to `total`. */
export type Broadcast = {
  id: string
  status: 'queued' | 'sending' | 'completed' | 'failed' | 'cancelled'
  campaign_name: string | null
  template_name: string
  language: string
  channel_id: string
  total: number
  pending_count: number
  sent_count: number
  delivered_count: number
  read_count: number
  failed_count: number
  created_at: string
  started_at: string | null
  completed_at: string | null
}

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
