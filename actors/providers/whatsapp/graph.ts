import type { Dispatcher } from 'undici'
import { callGraph as call, type GraphAnswer, type GraphCall } from '../graph/call.ts'

/** The encrypted credentials of a channel of WhatsApp's Cloud API. */
export type WhatsAppCredentials = {
  phone_number_id: string
  business_account_id: string
  access_token: string
  /** Key for the signature of webhook calls. */
  app_secret: string
  /** Verify token with which Meta proves, when it verifies our webhook, that the channel's owner configured it. */
  verify_token: string
  /** Replaces Meta's address: a simulator, a proxy. May end in a version. */
  api_base_url?: string
}

/** Meta's own address. */
export const BASE_URL = 'https://graph.facebook.com'

/** One call of the Graph API. `body` of the answer is undefined when it is not JSON, or is incomplete. */
export function callGraph(
  dispatcher: Dispatcher,
  { access_token, api_base_url = BASE_URL }: Pick<WhatsAppCredentials, 'access_token' | 'api_base_url'>,
  request: GraphCall,
): Promise<GraphAnswer> {
  return call(dispatcher, { access_token, base_url: api_base_url }, request)
}
