/** Calls of Meta's Graph API that only the set-up needs. */
import { CommandFailure } from '../failure.ts'
import { printable } from '../terminal.ts'
import type { Credentials } from './channel.ts'

const PATIENCE_MS = 30_000

/** The number as people see it, such as +1 555-783-1000. @throws {CommandFailure} with Meta's reason */
export async function displayNumber(credentials: Credentials): Promise<string> {
  const { display_phone_number } = await call(
    'GET',
    credentials,
    `${credentials.phone_number_id}?fields=display_phone_number`,
  )
  return printable(String(display_phone_number))
}

/**
 * Makes Meta send the webhooks of the account to `webhook_url`. Meta calls the address at once, and refuses one that
 * does not answer as it should.
 * @throws {CommandFailure} with Meta's reason
 */
export async function setWebhook(credentials: Credentials, webhook_url: string): Promise<void> {
  await call('POST', credentials, `${credentials.business_account_id}/subscribed_apps`, {
    override_callback_uri: webhook_url,
    verify_token: credentials.verify_token,
  })
}

async function call(
  method: string,
  { api_base_url = 'https://graph.facebook.com', access_token }: Credentials,
  path: string,
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
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    throw new CommandFailure(`Meta cannot be reached from here (${(error as Error).message}).`)
  }
  const answer = parse(text)
  if (status < 300) return answer
  const { message, error_user_msg } = (answer.error ?? {}) as Record<string, unknown>
  throw new CommandFailure(
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
