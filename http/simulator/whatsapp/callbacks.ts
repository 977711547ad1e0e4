import { request } from 'undici'
import type { WhatsAppNumber } from '../options.ts'
import type { World } from '../provider.ts'
import type { WebhookOutcome } from '../webhook_sender.ts'
import { envelope, metaJson, type Notification, signature } from './envelope.ts'

type Settle = (outcome: WebhookOutcome) => void
type Batch = { url: string; app_secret: string; notifications: Notification[]; settle: Settle[] }

/** Sends notifications to the webhook of their number, alone or several in one call. */
export class Callbacks {
  readonly #world: World
  readonly #batches = new Map<string, Batch>()

  constructor(world: World) {
    this.#world = world
  }

  /** Queues a notification; without a webhook it is dropped. `settle` gets the outcome of the first attempt. */
  notify(notification: Notification, settle?: Settle): void {
    const { webhook_url: url, app_secret } = notification.number
    if (!url) return
    const { batch_size, batch_wait_ms } = this.#world.settings.webhooks
    if (batch_size <= 1) {
      this.#post({ url, app_secret, notifications: [notification], settle: settle ? [settle] : [] })
      return
    }
    const key = `${app_secret} ${url}`
    let batch = this.#batches.get(key)
    if (!batch) {
      batch = { url, app_secret, notifications: [], settle: [] }
      this.#batches.set(key, batch)
      const opened = batch
      this.#world.schedule.after(batch_wait_ms, () => this.#flush(key, opened))
    }
    batch.notifications.push(notification)
    if (settle) batch.settle.push(settle)
    if (batch.notifications.length >= batch_size) this.#flush(key, batch)
  }

  /** Notifies an account of a change that concerns no single number: one call to each of its webhooks. */
  notifyAccount(numbers: WhatsAppNumber[], field: string, value: Record<string, unknown>): void {
    const label = `${field} ${String(value.event ?? '')}`.trim()
    const announced = new Set<string>()
    for (const number of numbers) {
      if (!number.webhook_url || announced.has(number.webhook_url)) continue
      announced.add(number.webhook_url)
      this.notify({ number, field, item: value, label })
    }
  }

  #flush(key: string, batch: Batch): void {
    if (this.#batches.get(key) !== batch) return
    this.#batches.delete(key)
    this.#post(batch)
  }

  #post({ url, app_secret, notifications, settle }: Batch): void {
    const body = metaJson(envelope(notifications, this.#world.now()))
    this.#world.webhooks.send(
      {
        url,
        current_url: () => notifications[0]?.number.webhook_url,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'facebookexternalua',
          'x-hub-signature-256': signature(body, app_secret),
        },
        body,
        events: notifications.map(({ label }) => label),
      },
      settle.length === 0
        ? undefined
        : (outcome) => {
            for (const each of settle) each(outcome)
          },
    )
  }
}

/**
 * Meta's handshake with a callback URL: GET with a challenge that must be returned unchanged. Resolves to an error, or
 * undefined when the URL is verified.
 */
export async function verifyCallback(
  url: string,
  verify_token: string,
  timeout_ms: number,
): Promise<string | undefined> {
  const challenge = String(Math.floor(1e8 + Math.random() * 9e8))
  const asked = new URL(url)
  asked.searchParams.set('hub.mode', 'subscribe')
  asked.searchParams.set('hub.challenge', challenge)
  asked.searchParams.set('hub.verify_token', verify_token)
  try {
    const response = await request(asked, { signal: AbortSignal.timeout(timeout_ms) })
    const body = await response.body.text()
    if (response.statusCode !== 200)
      return `HTTP Status Code = ${response.statusCode}; HTTP Message = ${body.slice(0, 200)}`
    if (body.trim() !== challenge)
      return `The challenge ${challenge} did not come back; the answer was "${body.slice(0, 200)}"`
    return undefined
  } catch (error) {
    return `The URL could not be reached: ${(error as Error).message}`
  }
}
