/**
 * The webhooks of a project: what is shown of them, read again every few seconds, because deliveries have no live events.
 * No DOM.
 */

import { type Signal, signal } from '@preact/signals'
import type { Project } from '../data/project.ts'
import { Resource } from '../data/resource.ts'
import type { DeliveryWithAttempts, Webhook, WebhookEvent, WebhookWithSecret } from '../records/webhook.ts'
import { Deliveries } from './deliveries.ts'
import type { WebhooksPlace } from './places.ts'
import { WebhooksApi } from './webhooks_api.ts'

/** The permission to decide where the events of the project are sent. */
const MANAGES_WEBHOOKS = 'developer.manage_webhooks'

export class Webhooks {
  readonly project_id
  readonly api: WebhooksApi
  readonly list
  readonly types
  readonly keys
  /** True when the agent may create and change subscriptions. */
  readonly may_manage

  /** A secret that was just made. It is shown until the agent has it, and never again. */
  secret = signal<{ webhook: WebhookWithSecret; is_new: boolean } | null>(null)
  webhook: Signal<Resource<Webhook> | null> = signal(null)
  deliveries: Signal<Deliveries | null> = signal(null)
  delivery: Signal<Resource<DeliveryWithAttempts> | null> = signal(null)
  event: Signal<Resource<WebhookEvent> | null> = signal(null)
  #place: WebhooksPlace | undefined
  #where = ''

  constructor(project: Pick<Project, 'id' | 'api' | 'user'>) {
    this.project_id = project.id
    this.api = new WebhooksApi(project.api)
    this.list = new Resource(() => this.api.list())
    this.types = new Resource(() => this.api.eventTypes())
    this.keys = new Resource(() => this.api.keys())
    this.may_manage = project.user.permissions.includes(MANAGES_WEBHOOKS)
  }

  /** Shows a place. What is there already stays. */
  show(place: WebhooksPlace) {
    const where = JSON.stringify(place)
    if (where === this.#where) return
    const before = this.#place
    this.#place = place
    this.#where = where
    if (place.page === 'list') void this.list.read()
    if (place.page === 'list' || place.page === 'new') return
    if (!before || !('id' in before) || before.id !== place.id || !this.webhook.peek()) {
      const webhook = new Resource(() => this.api.one(place.id))
      const known = this.list.state.peek().value?.find(({ id }) => id === place.id)
      if (known) webhook.put(known)
      this.webhook.value = webhook
      this.deliveries.value = null
    }
    if (place.page === 'one') {
      const { filter } = place
      if (JSON.stringify(this.deliveries.peek()?.filter) !== JSON.stringify(filter)) {
        this.deliveries.value = new Deliveries(this.api, place.id, filter)
      }
    }
    if (place.page === 'delivery') {
      this.event.value = null
      this.delivery.value = new Resource(() => this.api.delivery(place.id, place.delivery_id))
    }
    this.read()
  }

  /** Reads the event types, once. */
  readTypes() {
    if (this.types.state.peek().value === undefined) void this.types.read()
  }

  /** Reads again what is shown. */
  read() {
    const place = this.#place
    if (!place || place.page === 'new') return
    if (place.page === 'list') return void this.list.read()
    // A form that is being filled in must not change.
    if (place.page === 'edit') return void (this.webhook.peek()?.value ?? this.webhook.peek()?.read())
    void this.webhook.peek()?.read()
    if (place.page === 'one') void this.deliveries.peek()?.read()
    if (place.page === 'delivery') void this.#readDelivery()
  }

  async #readDelivery() {
    const resource = this.delivery.peek()
    await resource?.read()
    const found = resource?.state.peek().value
    if (!found || this.event.peek() || resource !== this.delivery.peek()) return
    const event = new Resource(() => this.api.event(found.event_id))
    this.event.value = event
    void event.read()
  }

  poll() {
    if (!globalThis.document?.hidden) this.read()
  }

  /** Keeps what the server answered to a change. */
  keep(webhook: Webhook) {
    if (this.webhook.peek()?.state.peek().value?.id === webhook.id) this.webhook.peek()?.put(webhook)
    const { value } = this.list.state.peek()
    if (value) this.list.put(value.map((one) => (one.id === webhook.id ? webhook : one)))
  }

  forget(id: string) {
    const { value } = this.list.state.peek()
    if (value) this.list.put(value.filter((one) => one.id !== id))
    this.webhook.value = null
  }

  close() {
    this.secret.value = null
  }
}
