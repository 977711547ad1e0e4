/** The webhook of the channel of `parley init`: Meta's calls to this Parley. */
import { createHmac } from 'node:crypto'
import { type Api, ApiRefusal } from '../connection/api.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { remark } from '../terminal/terminal.ts'
import type { Channel, CheckedNumber } from './channel.ts'
import type { Credentials } from './credentials.ts'
import { setWebhook } from './meta.ts'
import { done, failed, note } from './steps.ts'

export type Webhook = {
  webhook_url: string
  /** Null for a word that an operator has chosen before, which is not known. */
  verify_token: string | null
  is_webhook_set: boolean
}

/** The word of a number, which is the same at each run. It tells nothing about the app secret. */
export function wordOf({ app_secret, phone_number_id }: Credentials): string {
  return createHmac('sha256', app_secret).update(`verify token of ${phone_number_id}`).digest('hex').slice(0, 24)
}

type Setup = CheckedNumber & { channel: Channel; word: string; public_url: string; is_wanted: boolean }

/**
 * Makes Meta call this Parley. A webhook that is set already, and its word, stay as they are. Where Meta refuses, or the
 * webhook is not to be set, the words for the dashboard are shown.
 */
export async function settleWebhook(api: Api, setup: Setup, signal: AbortSignal): Promise<Webhook> {
  const { channel, word, credentials, at_meta, public_url, is_wanted } = setup
  const webhook_url = `${public_url}${channel.webhook_path}`
  const is_known = await isWord(api, channel, word)
  if (at_meta?.webhook_url === webhook_url) {
    done(`Meta sends the messages of the number to ${webhook_url} already.`)
    return { webhook_url, verify_token: is_known ? word : null, is_webhook_set: true }
  }
  if (!is_wanted) {
    explain(webhook_url, is_known ? word : 'that of the channel')
    return { webhook_url, verify_token: is_known ? word : null, is_webhook_set: false }
  }
  if (!is_known) {
    await api.call('PATCH', `/admin/v1/channels/${channel._id}`, { credentials: { verify_token: word } })
    note('The channel has a new verify token, because the former one cannot be read.')
  }
  try {
    await setWebhook(credentials, webhook_url, word, signal)
    done(`Meta called ${webhook_url}, and sends the messages of the number there.`)
    note('It sends changes of templates, Flows and the account to the webhook of the app alone.')
    explain(webhook_url, word)
    return { webhook_url, verify_token: word, is_webhook_set: true }
  } catch (error) {
    if (signal.aborted || !(error instanceof CommandFailure)) throw error
    failed(`The webhook could not be set. ${error.message}`)
    explain(webhook_url, word)
    return { webhook_url, verify_token: word, is_webhook_set: false }
  }
}

/** Asks the channel as Meta does when a webhook is entered. */
async function isWord(api: Api, { webhook_path }: Channel, word: string): Promise<boolean> {
  const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': word, 'hub.challenge': '1' })
  try {
    await api.call('GET', `${webhook_path}?${query}`)
    return true
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 403) return false
    throw error
  }
}

function explain(webhook_url: string, word: string): void {
  note('Enter this one in the dashboard, your app → WhatsApp → Configuration:')
  remark(`  Callback URL   ${webhook_url}`)
  remark(`  Verify token   ${word}`)
  remark('  Fields         messages, account_update, message_template_status_update, message_template_quality_update,')
  remark('                 template_category_update, flows, user_preferences')
}
