import type { Dispatcher } from 'undici'
import { type Exchange, exchange } from '../../outbound/mod.ts'

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

const BASE_URL = 'https://graph.facebook.com'
const VERSION = 'v25.0'

type Call = {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
  deadline_ms: number
  read_limit: number
  signal?: AbortSignal | undefined
}

/** One call of the Graph API. `body` of the answer is undefined when it is not JSON, or not all of it came. */
export async function callGraph(
  dispatcher: Dispatcher,
  credentials: Pick<WhatsAppCredentials, 'access_token' | 'api_base_url'>,
  { path, body, ...rest }: Call,
): Promise<{ answer: Exchange; body: unknown }> {
  const base = (credentials.api_base_url ?? BASE_URL).replace(/\/+$/, '')
  const root = /\/v\d+\.\d+$/.test(base) ? base : `${base}/${VERSION}`
  const answer = await exchange(dispatcher, {
    ...rest,
    url: `${root}/${path}`,
    headers: {
      authorization: `Bearer ${credentials.access_token}`,
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return { answer, body: answer.is_complete ? parse(answer.body) : undefined }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
