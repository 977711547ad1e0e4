import type { SimulatedAccount } from '../options.ts'
import type { World } from '../provider.ts'
import type { WebhookOutcome } from '../webhook_sender.ts'
import { metaJson, signature } from '../whatsapp/envelope.ts'

export type Event = Record<string, unknown>

/**
 * Calls the webhook of an account with one event; without a webhook it is dropped. `settle` gets the outcome of the
 * first attempt. `standby`: another app holds the conversation.
 */
export function notify(
  world: World,
  account: SimulatedAccount,
  event: Event,
  label: string,
  settle?: (outcome: WebhookOutcome) => void,
  list: 'messaging' | 'standby' = 'messaging',
): void {
  const { webhook_url: url, channel, account_id, app_secret } = account
  if (!url) return
  const object = channel === 'instagram' ? 'instagram' : 'page'
  const body = metaJson({ object, entry: [{ id: account_id, time: world.now(), [list]: [event] }] })
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'facebookexternalua',
    'x-hub-signature-256': signature(body, app_secret),
  }
  world.webhooks.send({ url, current_url: () => account.webhook_url, headers, body, events: [label] }, settle)
}

/** The envelope of every event: a person's action in a thread. */
export function eventOf(account: SimulatedAccount, person: string, timestamp: number, fields: Event): Event {
  return { sender: { id: person }, recipient: { id: account.account_id }, timestamp, ...fields }
}
