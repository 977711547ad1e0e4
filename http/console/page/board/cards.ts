/** How cards change with live events, which of them a board has, and in which order. No DOM, no state. */

import { rowAfterTicket, rowOfTicket } from '../crm/rows.ts'
import type { AnyRecord } from '../records/record.ts'
import { personName } from '../ui/format/format.ts'
import type { BoardCard, BoardFilter, BoardTotal } from './records.ts'

/**
 * The card after a change of its ticket.
 *
 * @param ticket whole or a part
 */
export function cardAfterTicket(
  card: BoardCard,
  ticket: AnyRecord,
  nameOfStage: (stage_id: string) => string | null,
): BoardCard {
  const { amount, amount_currency, summary } = card
  const row = rowAfterTicket(card, ticket, nameOfStage)
  const is_newer = ticket.version !== undefined && ticket.version >= card.version
  if (!is_newer) return { ...row, amount, amount_currency, summary }
  return {
    ...row,
    amount: ticket.amount,
    amount_currency: ticket.amount_currency,
    summary: ticket.conversation_summary?.motivo || ticket.category || null,
  }
}

/**
 * The card of a ticket that was not known, made of its record alone.
 *
 * @param ticket whole
 */
export function cardOfTicket(ticket: AnyRecord, nameOfStage: (stage_id: string) => string | null) {
  const card = { ...rowOfTicket(ticket, nameOfStage), amount: null, amount_currency: null, summary: null }
  return cardAfterTicket(card, ticket, nameOfStage)
}

/** True when the card belongs to the board, in whatever stage. A search is left to the server. */
export function isOnBoard(card: BoardCard, { assigned_to, tag_id, priority }: BoardFilter) {
  if (card.is_closed) return false
  if (assigned_to === 'none' && card.assigned_to !== null) return false
  if (assigned_to !== undefined && assigned_to !== 'none' && card.assigned_to?.id !== assigned_to) return false
  if (priority !== undefined && card.priority !== priority) return false
  return tag_id === undefined || card.tags.some(({ id }) => id === tag_id)
}

/** The latest activity first. */
export function compareCards(one: BoardCard, other: BoardCard) {
  return compare(other.last_activity_at, one.last_activity_at) || compare(other.ticket_id, one.ticket_id)
}

/** The name of the person. */
export function nameOfCard({ contact }: BoardCard) {
  return personName(contact) || 'Somebody'
}

/** Totals after a ticket has come to a stage (`by` 1) or left it (-1). */
export function totalAfter(
  total: BoardTotal,
  { amount, amount_currency }: Pick<BoardCard, 'amount' | 'amount_currency'>,
  by: 1 | -1,
): BoardTotal {
  const next = { ...total, tickets: Math.max(0, total.tickets + by) }
  if (amount === null) return next
  const others = total.amounts.filter(({ currency }) => currency !== amount_currency)
  const known = total.amounts.find(({ currency }) => currency === amount_currency)?.amount ?? 0
  const sum = Math.round((known + by * amount) * 1e6) / 1e6
  const amounts = [...others, ...(sum === 0 ? [] : [{ currency: amount_currency, amount: sum }])]
  return { ...next, amounts: amounts.sort((a, b) => compare(a.currency ?? '~', b.currency ?? '~')) }
}

function compare(one: string, other: string) {
  return one < other ? -1 : one > other ? 1 : 0
}
