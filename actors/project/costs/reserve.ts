/** The monthly cap on marketing: messages that would exceed it are not accepted. */
import { isMarketing, toMillionths } from '../../costs/mod.ts'
import { refuse } from '../../refuse.ts'
import { findTemplate } from '../templates/template_facts.ts'
import { templateIn } from '../templates/template_named.ts'
import type { Reads } from '../turn/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { nextMonth } from './marketing_budget.ts'
import { budgetReads, knownBudget, rateReads } from './reads.ts'

/** Adds what `reservationFor` needs for this message. */
export function wantBudget(reads: Reads, message: { type: string; [field: string]: unknown }): void {
  if (!reads.state.monthly_marketing_cap || !templateIn(message)) return
  reads.of(budgetReads)
  reads.of(rateReads)
}

/** A price that fits into the budget, in millionths. Null: nothing is reserved. */
export type Reservation = number | null

/**
 * The price of a template of this category to the recipient. Undefined when the cap leaves no room for it. Without a rate
 * the price is unknown, and there is room as long as the cap is not reached.
 */
export function reservationOf(turn: ProjectTurn, recipient: string, category: string): Reservation | undefined {
  const { monthly_marketing_cap: cap } = turn.state
  const { budget } = knownBudget.of(turn.state)
  const lower_case = category.toLowerCase()
  if (!cap || !budget || !isMarketing(lower_case)) return null
  const { millionths, currency } = turn.records.of(rateReads).table.priceOf(recipient, lower_case, turn.now)
  const price = currency === cap.currency ? millionths : null
  const left = toMillionths(cap.amount) - budget.taken(turn.now)
  return left <= 0 || left < (price ?? 0) ? undefined : price
}

/**
 * The price to reserve for a message that is about to be sent.
 * @throws {Refusal} MARKETING_CAP_REACHED
 */
export function reservationFor(
  turn: ProjectTurn,
  channel_id: string,
  recipient: string,
  message: { type: string },
): Reservation {
  const named = templateIn(message)
  const template = named && findTemplate(turn, channel_id, named)
  if (!template) return null
  const reservation = reservationOf(turn, recipient, template.category)
  if (reservation === undefined) throw capReached(turn)
  return reservation
}

function capReached({ state, now }: ProjectTurn) {
  const resumes_at = nextMonth(now).toISOString()
  return refuse('MARKETING_CAP_REACHED', { monthly_marketing_cap: state.monthly_marketing_cap, resumes_at })
}
