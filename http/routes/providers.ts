/** Where providers report what happened on a channel. They sign their bytes, so the bytes are passed on as they came. */
import { type ChannelType, channelTypes } from '../../actors/mod.ts'
import type { RawAnswer, RawRequest, RequestContext, Route } from '../server/route.ts'
import { plainIdPattern } from '../server/schema/fields.ts'
import type { Stranger } from '../server/stranger.ts'

export type ProviderHook = (
  channel_type: ChannelType,
  channel_id: string,
  request: { method: string; headers: Record<string, string>; query: string; raw: Uint8Array },
  stranger: Stranger,
) => Promise<RawAnswer>

/** WhatsApp's payloads have at most 3 MB, and no other provider's more. */
const BODY_LIMIT = 4 * 1024 * 1024

export function providerRoutes(provider: ProviderHook): Route[] {
  // Nobody reports from a telephone, and visitors of a web page come over their own socket.
  return channelTypes.filter((type) => type !== 'phone' && type !== 'web').flatMap((type) => hookOf(type, provider))
}

function hookOf(channel_type: ChannelType, provider: ProviderHook): Route[] {
  const common = {
    path: `/providers/${channel_type}/:channel_id`,
    auth: 'none',
    pool: 'exempt',
    refusals_counted_as: 'hook',
    refusals_counted_by: 'channel_id',
    params: { channel_id: plainIdPattern },
    status: 200,
    raw: ({ method, params, headers, query, body }: RawRequest, { stranger }: RequestContext) =>
      provider(channel_type, params.channel_id!, { method, headers, query, raw: body }, stranger!),
  } as const
  return [
    {
      ...common,
      method: 'GET',
      operation: `verify_${channel_type}_webhook`,
      summary: `The provider of a ${channel_type} channel asks whether the address is ours before it reports to it`,
    },
    {
      ...common,
      method: 'POST',
      operation: `receive_${channel_type}_webhook`,
      summary: `The provider of a ${channel_type} channel reports messages and statuses`,
      body_limit: BODY_LIMIT,
    },
  ]
}
