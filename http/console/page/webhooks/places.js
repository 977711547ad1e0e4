/** The places of webhooks. No DOM. */
import { addressOf } from '../app/places.js'

/** @typedef {import('../../page_types/webhook.ts').DeliveryFilter} DeliveryFilter */
/** @typedef {import('../../page_types/webhook.ts').DeliveryStatus} DeliveryStatus */
/**
 * The list, the form of a new or of an existing subscription, one subscription with its deliveries, or one delivery.
 *
 * @typedef {{ page: 'list' } | { page: 'new' }
 *   | { page: 'edit', id: string }
 *   | { page: 'one', id: string, filter: DeliveryFilter }
 *   | { page: 'delivery', id: string, delivery_id: string }} WebhooksPlace
 */

/** @type {DeliveryStatus[]} */
export const DELIVERY_STATUSES = ['pending', 'success', 'failed', 'dead']

/**
 * Undefined when the address is wrong.
 *
 * @param {import('../../page_types/place.ts').Place} place
 * @returns {WebhooksPlace | undefined}
 */
export function webhooksPlaceOf({ path: [id, part, delivery_id, ...more], query }) {
  if (more.length > 0) return undefined
  if (id === undefined) return { page: 'list' }
  if (id === 'new') return part === undefined ? { page: 'new' } : undefined
  if (part === undefined) return { page: 'one', id, filter: filterOf(query) }
  if (part === 'edit' && delivery_id === undefined) return { page: 'edit', id }
  if (part === 'deliveries' && delivery_id !== undefined) return { page: 'delivery', id, delivery_id }
  return undefined
}

/**
 * The address of the list, or of a place below it.
 *
 * @param {string} project_id
 * @param {string[]} path
 */
export function webhooksPlace(project_id, ...path) {
  return addressOf(project_id, 'webhooks', path)
}

/**
 * The address of a subscription with its deliveries that match.
 *
 * @param {string} project_id
 * @param {string} id
 * @param {DeliveryFilter} filter
 */
export function webhookPlace(project_id, id, filter = {}) {
  return addressOf(project_id, 'webhooks', [id], { ...filter })
}

/**
 * @param {Record<string, string>} query
 * @returns {DeliveryFilter}
 */
function filterOf({ status, event_type }) {
  const known = DELIVERY_STATUSES.find((one) => one === status)
  return { ...(known && { status: known }), ...(event_type && { event_type }) }
}
