import { createHmac } from 'node:crypto'
import type { SimulatedAccount } from '../options.ts'
import type { World } from '../provider.ts'
import type { WebhookOutcome } from '../webhook_sender.ts'

/**
 * Calls the webhook of an account with one event; without a webhook it is dropped. `settle` gets the outcome of the
 * first attempt.
 */
export function notify(
  world: World,
  account: SimulatedAccount,
  event: string,
  content: Record<string, unknown>,
  label: string,
  settle?: (outcome: WebhookOutcome) => void,
): void {
  const { webhook_url: url, account_id, app_secret } = account
  if (!url) return
  const seconds = Math.floor(world.now() / 1_000)
  const call = {
    client_key: 'simulated_client_key',
    event,
    create_time: seconds,
    user_openid: account_id,
    content: JSON.stringify(content),
  }
  const body = JSON.stringify(call)
  const proof = createHmac('sha256', app_secret).update(`${seconds}.${body}`).digest('hex')
  const headers = { 'content-type': 'application/json', 'tiktok-signature': `t=${seconds},s=${proof}` }
  world.webhooks.send({ url, current_url: () => account.webhook_url, headers, body, events: [label] }, settle)
}

/** The envelope of a person's action in a conversation. The person's own id is derived from the conversation's. */
export function contentOf(account: SimulatedAccount, conversation_id: string, timestamp: number, name: string) {
  return {
    timestamp,
    conversation_id,
    from: name,
    from_user: { id: `person-of-${conversation_id}`, role: 'personal_account' },
    to: account.name ?? 'simulated.business',
    to_user: { id: account.account_id, role: 'business_account' },
  }
}
