/**
 * The price of a message, by the provider's status.
 *
 *  C1 A message is charged once: when its delivery and its price are known, in whatever order they are told and however
 *     often. `charged_at` and the key of `message_cost` say so.
 *  C2 A failed message has no price, unless the provider reports its delivery nevertheless.
 *  C3 What was reserved is free again in the turn that charges the message or fails it.
 */
import { type Message, MessageCost, type Price } from '../../../storage/mod.ts'
import { fromMillionths, isMarketing, toMillionths } from '../../costs/mod.ts'
import type { InboundStatus } from '../../providers/mod.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { knownBudget, rateReads } from './reads.ts'

type Reported = { to: InboundStatus['status']; at: Date; pricing?: InboundStatus['pricing'] | null }

/** The changes of `price`, `charged_at` and `reserved` that follow from a status. `moved`: it changes the status. */
export function pricePatch(
  turn: ProjectTurn,
  row: Message,
  { to, at, pricing }: Reported,
  moved: boolean,
): Partial<Message> {
  const patch: Partial<Message> = {}
  const fails = moved && to === 'failed'
  let price = row.price ?? null
  if (pricing && to !== 'failed' && !row.charged_at) {
    const new_price = priceOf(turn, row, pricing, at)
    if (JSON.stringify(new_price) !== JSON.stringify(price)) patch.price = price = new_price
  }
  const is_delivered = to === 'delivered' || to === 'read' || row.delivered_at != null || row.read_at != null
  if (price && is_delivered && !row.charged_at) patch.charged_at = turn.now
  else if (fails && row.price && !row.charged_at) patch.price = null
  if (row.reserved != null && (patch.charged_at || fails)) {
    patch.reserved = null
    knownBudget.of(turn.state).budget?.release(row.created_at, toMillionths(row.reserved))
  }
  return patch
}

function priceOf(
  turn: ProjectTurn,
  { to, chat_user }: Message,
  { category, billable }: NonNullable<InboundStatus['pricing']>,
  at: Date,
): Price {
  const { table } = turn.records.of(rateReads)
  const { millionths, currency } = table.priceOf(to ?? chat_user ?? '', category, at < turn.now ? at : turn.now)
  if (!billable && currency !== null) return { amount: 0, currency, category, billable }
  const amount = millionths === null ? null : fromMillionths(millionths)
  return { amount, currency: amount === null ? null : currency, category, billable }
}

/** Writes the cost of a message that has just got `charged_at`. */
export function chargeMessage(turn: ProjectTurn, row: Message): Price {
  const { id: message_id, company_id, project_id, channel_id, broadcast_id } = row
  const price = row.price!
  turn.insert(MessageCost, {
    message_id,
    company_id,
    project_id,
    channel_id,
    broadcast_id: broadcast_id ?? null,
    ...price,
    charged_at: row.charged_at!,
  })
  if (isMarketing(price.category) && price.amount !== null) {
    knownBudget.of(turn.state).budget?.charge(turn.now, toMillionths(price.amount))
  }
  return price
}
