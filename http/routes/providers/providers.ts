/** The webhooks of providers. Providers sign the raw bytes, so the bytes are passed on unchanged. */
import { type ChannelType, channelTypes, plainIdPattern } from '../../../actors/mod.ts'
import type { Cause } from '../../../runtime/mod.ts'
import type { UnknownSender } from '../../server/limits/unknown_sender.ts'
import type { RawAnswer, RawRequest, RequestContext, Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'

export type ProviderHook = (
  channel_type: ChannelType,
  channel_id: string,
  request: { method: string; headers: Record<string, string>; query: string; raw: Uint8Array },
  caller: { stranger: UnknownSender; cause: Cause },
) => Promise<RawAnswer>

/** WhatsApp's payloads have at most 3 MB, and those of other providers are smaller. */
const BODY_LIMIT = 4 * 1024 * 1024

export function providerRoutes(provider: ProviderHook): Route[] {
  // Telephones have no provider that reports, and visitors of a web page have their own socket.
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
    raw: (
      { method: asked, params, headers, query, body }: RawRequest<{ channel_id: string }>,
      { stranger, cause }: RequestContext,
    ) => {
      const method = asked === 'HEAD' ? 'GET' : asked
      return provider(
        channel_type,
        params.channel_id,
        { method, headers, query, raw: body },
        { stranger: stranger!, cause },
      )
    },
  } as const
  return [
    route({
      ...common,
      method: 'GET',
      operation: `verify_${channel_type}_webhook`,
      summary: `The provider of a ${channel_type} channel verifies the address before it reports to it`,
    }),
    route({
      ...common,
      method: 'POST',
      operation: `receive_${channel_type}_webhook`,
      summary: `The provider of a ${channel_type} channel reports messages and statuses`,
      body_limit: BODY_LIMIT,
    }),
  ]
}
