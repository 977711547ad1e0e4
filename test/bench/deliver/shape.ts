/** The deliveries of all contestants, and the number at once. */

/** Projects, each with one subscription: the bench's keys. */
export const TARGETS = 16

/** Requests in flight to one receiver, the default of a subscription. */
export const CONCURRENCY = 8

/** Deliveries at once in every peer: the sum of the requests that the subscriptions may have in flight. */
export const TOTAL_CONCURRENCY = TARGETS * CONCURRENCY

export const EVENT_TYPE = 'whatsapp.message.received'

/** The one secret of all receivers. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
