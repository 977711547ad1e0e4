import type { Dispatcher } from 'undici'
import { callGraph as call, type GraphAnswer, type GraphCall } from '../graph/call.ts'

/** What is stored, encrypted, with a channel of WhatsApp's Cloud API. */
export type WhatsAppCredentials = {
  phone_number_id: string
  business_account_id: string
  access_token: string
  /** Key of the signature over webhook calls. */
  app_secret: string
  /** The word that proves, when Meta tries our webhook, that it was set up by who set up this channel. */
  verify_token: string
  /** Stands in for Meta's address: a simulator, a proxy. May end in a version. */
  api_base_url?: string
}

/** Meta's own. */
export const BASE_URL = 'https://graph.facebook.com'

/** One call of the Graph API. `body` of the answer is undefined when it is not JSON, or not all of it came. */
export function callGraph(
  dispatcher: Dispatcher,
  { access_token, api_base_url = BASE_URL }: Pick<WhatsAppCredentials, 'access_token' | 'api_base_url'>,
  request: GraphCall,
): Promise<GraphAnswer> {
  return call(dispatcher, { access_token, base_url: api_base_url }, request)
}
