/** The places of webhooks. No DOM. */

import type { Place } from '../data/place.ts'
import { addressOf } from '../data/places.ts'
import type { DeliveryFilter, DeliveryStatus } from '../records/webhook.ts'

/**
 * The list, the form of a new or of an existing subscription, one subscription with its deliveries, or one delivery.
 */
export type WebhooksPlace =
  | { page: 'list' }
  | { page: 'new' }
  | { page: 'edit'; id: string }
  | { page: 'one'; id: string; filter: DeliveryFilter }
  | { page: 'delivery'; id: string; delivery_id: string }

export const DELIVERY_STATUSES: DeliveryStatus[] = ['pending', 'success', 'failed', 'dead']

/** Undefined when the address is wrong. */
export function webhooksPlaceOf({ path: [id, part, delivery_id, ...more], query }: Place): WebhooksPlace | undefined {
  if (more.length > 0) return undefined
  if (id === undefined) return { page: 'list' }
  if (id === 'new') return part === undefined ? { page: 'new' } : undefined
  if (part === undefined) return { page: 'one', id, filter: filterOf(query) }
  if (part === 'edit' && delivery_id === undefined) return { page: 'edit', id }
  if (part === 'deliveries' && delivery_id !== undefined) return { page: 'delivery', id, delivery_id }
  return undefined
}

/** The address of the list, or of a place below it. */
export function webhooksPlace(project_id: string, ...path: string[]) {
  return addressOf(project_id, 'webhooks', path)
}

/** The address of a subscription with its deliveries that match. */
export function webhookPlace(project_id: string, id: string, filter: DeliveryFilter = {}) {
  return addressOf(project_id, 'webhooks', [id], { ...filter })
}

function filterOf({ status, event_type }: Record<string, string>): DeliveryFilter {
  const known = DELIVERY_STATUSES.find((one) => one === status)
  return { ...(known && { status: known }), ...(event_type && { event_type }) }
}
