/** How cards change with live events, which of them a board has, and in which order. No DOM, no state. */

import { rowAfterTicket, rowOfTicket } from '../inbox/rows.js'
import { personName } from '../ui/format.js'

/** @typedef {import('../../page_types/board.ts').BoardCard} BoardCard */
/** @typedef {import('../../page_types/board.ts').BoardFilter} BoardFilter */
/** @typedef {import('../../page_types/board.ts').BoardTotal} BoardTotal */
/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */

/**
 * The card after a change of its ticket.
 *
 * @param {BoardCard} card
 * @param {AnyRecord} ticket whole or a part
 * @param {(stage_id: string) => string | null} nameOfStage
 * @returns {BoardCard}
 */
export function cardAfterTicket(card, ticket, nameOfStage) {
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
 * @param {AnyRecord} ticket whole
 * @param {(stage_id: string) => string | null} nameOfStage
 */
export function cardOfTicket(ticket, nameOfStage) {
  const card = { ...rowOfTicket(ticket, nameOfStage), amount: null, amount_currency: null, summary: null }
  return cardAfterTicket(card, ticket, nameOfStage)
}

/**
 * True when the card belongs to the board, in whatever stage. A search is left to the server.
 *
 * @param {BoardCard} card
 * @param {BoardFilter} filter
 */
export function isOnBoard(card, { assigned_to, tag_id, priority }) {
  if (card.is_closed) return false
  if (assigned_to === 'none' && card.assigned_to !== null) return false
  if (assigned_to !== undefined && assigned_to !== 'none' && card.assigned_to?.id !== assigned_to) return false
  if (priority !== undefined && card.priority !== priority) return false
  return tag_id === undefined || card.tags.some(({ id }) => id === tag_id)
}

/**
 * The latest activity first.
 *
 * @param {BoardCard} one
 * @param {BoardCard} other
 */
export function compareCards(one, other) {
  return compare(other.last_activity_at, one.last_activity_at) || compare(other.ticket_id, one.ticket_id)
}

/**
 * The name of the person.
 *
 * @param {BoardCard} card
 */
export function nameOfCard({ contact }) {
  return personName(contact) || 'Somebody'
}

/**
 * Totals after a ticket has come to a stage (`by` 1) or left it (-1).
 *
 * @param {BoardTotal} total
 * @param {Pick<BoardCard, 'amount' | 'amount_currency'>} card
 * @param {1 | -1} by
 * @returns {BoardTotal}
 */
export function totalAfter(total, { amount, amount_currency }, by) {
  const next = { ...total, tickets: Math.max(0, total.tickets + by) }
  if (amount === null) return next
  const others = total.amounts.filter(({ currency }) => currency !== amount_currency)
  const known = total.amounts.find(({ currency }) => currency === amount_currency)?.amount ?? 0
  const sum = Math.round((known + by * amount) * 1e6) / 1e6
  const amounts = [...others, ...(sum === 0 ? [] : [{ currency: amount_currency, amount: sum }])]
  return { ...next, amounts: amounts.sort((a, b) => compare(a.currency ?? '~', b.currency ?? '~')) }
}

/**
 * @param {string} one
 * @param {string} other
 */
function compare(one, other) {
  return one < other ? -1 : one > other ? 1 : 0
}
