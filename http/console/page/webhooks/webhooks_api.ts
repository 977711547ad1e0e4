/** The requests for webhooks. No DOM. */

import type { ProjectApi } from '../data/project_api.ts'
import type {
  Delivery,
  DeliveryFilter,
  DeliveryWithAttempts,
  EventType,
  SigningKey,
  Webhook,
  WebhookEvent,
  WebhookWithSecret,
} from '../records/webhook.ts'

export class WebhooksApi {
  #api

  constructor(api: Pick<ProjectApi, 'get' | 'post' | 'patch' | 'delete'>) {
    this.#api = api
  }

  async list(): Promise<Webhook[]> {
    return (await this.#api.get('webhooks')).data
  }

  one(id: string): Promise<Webhook> {
    return this.#api.get(pathOf(id))
  }

  async eventTypes(): Promise<EventType[]> {
    return (await this.#api.get('webhooks/event-types')).data
  }

  /** With the same `key` it is created once. */
  create(fields: object, key: string): Promise<WebhookWithSecret> {
    return this.#api.post('webhooks', fields, { key })
  }

  update(id: string, fields: object): Promise<Webhook> {
    return this.#api.patch(pathOf(id), fields)
  }

  remove(id: string) {
    return this.#api.delete(pathOf(id))
  }

  /** The former secret signs too for `grace_s` seconds. */
  rotate(id: string, grace_s: number, key: string): Promise<WebhookWithSecret> {
    return this.#api.post(`${pathOf(id)}/rotate-secret`, { grace_s }, { key })
  }

  /** The public keys of the project, the present one first. */
  async keys(): Promise<SigningKey[]> {
    return (await this.#api.get('webhooks/signing-keys')).data
  }

  /** The former key signs too for `grace_s` seconds. */
  rotateKey(grace_s: number, key: string) {
    return this.#api.post('webhooks/signing-keys/rotate', { grace_s }, { key })
  }

  test(id: string, event_type: string): Promise<{ event_id: string }> {
    return this.#api.post(`${pathOf(id)}/test`, { event_type })
  }

  /** @param since ISO 8601 */
  recover(id: string, since: string) {
    return this.#api.post(`${pathOf(id)}/recover`, { since })
  }

  deliveries(
    id: string,
    query: DeliveryFilter & { limit: number; cursor?: string | null },
  ): Promise<{ data: Delivery[]; next_cursor: string | null }> {
    return this.#api.get(`${pathOf(id)}/deliveries`, query)
  }

  delivery(id: string, delivery_id: string): Promise<DeliveryWithAttempts> {
    return this.#api.get(`${pathOf(id)}/deliveries/${encodeURIComponent(delivery_id)}`)
  }

  redeliver(id: string, delivery_id: string) {
    return this.#api.post(`${pathOf(id)}/deliveries/${encodeURIComponent(delivery_id)}/redeliver`)
  }

  event(event_id: string): Promise<WebhookEvent> {
    return this.#api.get(`events/${encodeURIComponent(event_id)}`)
  }
}

function pathOf(id: string) {
  return `webhooks/${encodeURIComponent(id)}`
}
