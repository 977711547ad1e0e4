/** Calls of Meta's Graph API that only the set-up needs. */
import { createHmac } from 'node:crypto'
import { CommandFailure } from '../terminal/failure.ts'
import { printable } from '../terminal/terminal.ts'
import type { Credentials } from './credentials.ts'

const PATIENCE_MS = 30_000

/** Meta has answered, and refuses. */
export class MetaRefusal extends CommandFailure {}

export type NumberAtMeta = {
  /** As people see it, such as +1 555-783-1000. */
  display: string
  /** The address of the number's webhooks, where Meta tells one. */
  webhook_url: string | undefined
}

/**
 * The number of these credentials. Meta compares the app secret too, by the proof
 * (developers.facebook.com/docs/graph-api/guides/secure-requests).
 * @throws {MetaRefusal} with Meta's reason
 * @throws {CommandFailure} when Meta cannot be reached from this machine
 */
export async function numberAtMeta(credentials: Credentials, signal: AbortSignal): Promise<NumberAtMeta> {
  const { phone_number_id, access_token, app_secret } = credentials
  const appsecret_proof = createHmac('sha256', app_secret).update(access_token).digest('hex')
  const query = new URLSearchParams({ fields: 'display_phone_number,webhook_configuration', appsecret_proof })
  const answer = await call('GET', credentials, `${phone_number_id}?${query}`, signal)
  const places = (answer.webhook_configuration ?? {}) as Record<string, unknown>
  const url = places.phone_number ?? places.whatsapp_business_account ?? places.application
  return {
    display: printable(String(answer.display_phone_number)),
    webhook_url: typeof url === 'string' ? url : undefined,
  }
}

/**
 * Makes Meta send the messages of the number to `webhook_url`. Meta calls the address at once, and refuses one that does
 * not answer as it should. Other numbers of the account keep their webhooks
 * (developers.facebook.com/docs/whatsapp/embedded-signup/webhooks/override).
 * @throws {CommandFailure} with Meta's reason
 */
export async function setWebhook(
  credentials: Credentials,
  webhook_url: string,
  verify_token: string,
  signal: AbortSignal,
): Promise<void> {
  const apps = `${credentials.business_account_id}/subscribed_apps`
  const { data } = await call('GET', credentials, apps, signal)
  // A subscription without an address would remove the address that the account may have.
  const has_address = Array.isArray(data) && data.some((app) => app?.override_callback_uri)
  if (!has_address) await call('POST', credentials, apps, signal)
  const webhook_configuration = { override_callback_uri: webhook_url, verify_token }
  await call('POST', credentials, credentials.phone_number_id, signal, { webhook_configuration })
}

async function call(
  method: string,
  { api_base_url = 'https://graph.facebook.com', access_token }: Credentials,
  path: string,
  signal: AbortSignal,
  body?: object,
): Promise<Record<string, unknown>> {
  // Loaded here: the other commands start faster without it.
  const { GRAPH_VERSION } = await import('../../../actors/mod.ts')
  let status: number
  let text: string
  try {
    const response = await fetch(`${api_base_url.replace(/\/+$/, '')}/${GRAPH_VERSION}/${path}`, {
      method,
      headers: { authorization: `Bearer ${access_token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    if (signal.aborted) throw new CommandFailure('Ended.')
    const { message, cause } = error as Error & { cause?: { code?: string; message?: string } }
    throw new CommandFailure(`Meta cannot be reached from this machine (${cause?.code ?? cause?.message ?? message}).`)
  }
  const answer = parse(text)
  if (status < 300) return answer
  const { message, error_user_msg } = (answer.error ?? {}) as Record<string, unknown>
  throw new MetaRefusal(
    `Meta refuses (${status}): ${printable(String(error_user_msg ?? message ?? text)).slice(0, 500)}`,
  )
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
