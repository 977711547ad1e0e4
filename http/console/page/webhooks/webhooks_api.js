/** The requests for webhooks. No DOM. */

/** @typedef {import('../../page_types/webhook.ts').Webhook} Webhook */
/** @typedef {import('../../page_types/webhook.ts').WebhookWithSecret} WebhookWithSecret */
/** @typedef {import('../../page_types/webhook.ts').Delivery} Delivery */

export class WebhooksApi {
  #api

  /** @param {Pick<import('../data/project_api.js').ProjectApi, 'get' | 'post' | 'patch' | 'delete'>} api */
  constructor(api) {
    this.#api = api
  }

  /** @returns {Promise<Webhook[]>} */
  async list() {
    return (await this.#api.get('webhooks')).data
  }

  /** @param {string} id @returns {Promise<Webhook>} */
  one(id) {
    return this.#api.get(pathOf(id))
  }

  /** @returns {Promise<import('../../page_types/webhook.ts').EventType[]>} */
  async eventTypes() {
    return (await this.#api.get('webhooks/event-types')).data
  }

  /**
   * With the same `key` it is created once.
   *
   * @param {object} fields
   * @param {string} key
   * @returns {Promise<WebhookWithSecret>}
   */
  create(fields, key) {
    return this.#api.post('webhooks', fields, { key })
  }

  /** @param {string} id @param {object} fields @returns {Promise<Webhook>} */
  update(id, fields) {
    return this.#api.patch(pathOf(id), fields)
  }

  /** @param {string} id */
  remove(id) {
    return this.#api.delete(pathOf(id))
  }

  /**
   * The former secret signs too for `grace_s` seconds.
   *
   * @param {string} id
   * @param {number} grace_s
   * @param {string} key
   * @returns {Promise<WebhookWithSecret>}
   */
  rotate(id, grace_s, key) {
    return this.#api.post(`${pathOf(id)}/rotate-secret`, { grace_s }, { key })
  }

  /** The public keys of the project, the present one first. @returns {Promise<import('../../page_types/webhook.ts').SigningKey[]>} */
  async keys() {
    return (await this.#api.get('webhooks/signing-keys')).data
  }

  /**
   * The former key signs too for `grace_s` seconds.
   *
   * @param {number} grace_s
   * @param {string} key
   */
  rotateKey(grace_s, key) {
    return this.#api.post('webhooks/signing-keys/rotate', { grace_s }, { key })
  }

  /** @param {string} id @param {string} event_type @returns {Promise<{ event_id: string }>} */
  test(id, event_type) {
    return this.#api.post(`${pathOf(id)}/test`, { event_type })
  }

  /** @param {string} id @param {string} since ISO 8601 */
  recover(id, since) {
    return this.#api.post(`${pathOf(id)}/recover`, { since })
  }

  /**
   * @param {string} id
   * @param {import('../../page_types/webhook.ts').DeliveryFilter & { limit: number, cursor?: string | null }} query
   * @returns {Promise<{ data: Delivery[], next_cursor: string | null }>}
   */
  deliveries(id, query) {
    return this.#api.get(`${pathOf(id)}/deliveries`, query)
  }

  /**
   * @param {string} id
   * @param {string} delivery_id
   * @returns {Promise<import('../../page_types/webhook.ts').DeliveryWithAttempts>}
   */
  delivery(id, delivery_id) {
    return this.#api.get(`${pathOf(id)}/deliveries/${encodeURIComponent(delivery_id)}`)
  }

  /** @param {string} id @param {string} delivery_id */
  redeliver(id, delivery_id) {
    return this.#api.post(`${pathOf(id)}/deliveries/${encodeURIComponent(delivery_id)}/redeliver`)
  }

  /** @param {string} event_id @returns {Promise<import('../../page_types/webhook.ts').WebhookEvent>} */
  event(event_id) {
    return this.#api.get(`events/${encodeURIComponent(event_id)}`)
  }
}

/** @param {string} id */
function pathOf(id) {
  return `webhooks/${encodeURIComponent(id)}`
}
