/** Where providers report what happened on a channel. They sign their bytes, so the bytes are passed on as they came. */
import type { RawAnswer, RawRequest, Route } from '../route.ts'
import { plainIdPattern } from './fields.ts'

export type ProviderHook = (
  channel_id: string,
  request: { method: string; headers: Record<string, string>; query: string; raw: Uint8Array },
) => Promise<RawAnswer>

/** WhatsApp's payloads have at most 3 MB. */
const BODY_LIMIT = 4 * 1024 * 1024

export function providerRoutes(provider: ProviderHook): Route[] {
  const common = {
    path: '/providers/whatsapp/:channel_id',
    auth: 'none',
    pool: 'exempt',
    params: { channel_id: plainIdPattern },
    status: 200,
    raw: ({ method, params, headers, query, body }: RawRequest) =>
      provider(params.channel_id!, { method, headers, query, raw: body }),
  } as const
  return [
    {
      ...common,
      method: 'GET',
      operation: 'verify_whatsapp_webhook',
      summary: 'WhatsApp asks whether the address is ours before it reports to it',
    },
    {
      ...common,
      method: 'POST',
      operation: 'receive_whatsapp_webhook',
      summary: 'WhatsApp reports messages and statuses of a channel',
      body_limit: BODY_LIMIT,
    },
  ]
}
