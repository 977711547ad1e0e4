import { accountRecord } from '../accounts.ts'
import type { Answer, SimulatorRequest } from '../answer.ts'
import { answerAs, behaveAs } from '../behave.ts'
import { BY_BEHAVIOUR, type MagicRecipient, MagicRecipients, numberOfCode } from '../magic.ts'
import type { Provider, World } from '../provider.ts'
import { ReceivedFiles } from '../received_files.ts'
import { DIALECT, listedCodes, RECOVERING, success, TikTokError, titleOf } from './errors.ts'
import { giveAddress, giveFile } from './files.ts'
import { injectInbound } from './inbound.ts'
import { businessOf, postMessage, type TikTokState, uploadMedia } from './send.ts'

const MAGIC: MagicRecipient[] = [
  ...listedCodes().map((code): MagicRecipient => {
    const times = RECOVERING[code]
    const outcome = `error ${code}: ${titleOf(code)}`
    return { number: numberOfCode(code), outcome, behaviour: { error: { code } }, ...(times && { times }) }
  }),
  ...BY_BEHAVIOUR.filter(({ behaviour }) => behaviour.statuses?.fail === undefined),
]

/** The message routes of TikTok's API for Business. */
export function tiktokProvider(world: World): Provider {
  const state: TikTokState = { magic: new MagicRecipients(MAGIC), media: new Set(), files: new ReceivedFiles() }
  return {
    channel: 'tiktok',
    serve: (request) => serve(world, state, request),
    inbound: (body) => injectInbound(world, state.files, body),
    control: [],
    describe: () => ({ accounts: world.accounts.of('tiktok').map(accountRecord) }),
  }
}

/** `/open_api/{version}/business/…`. */
function serve(world: World, state: TikTokState, request: SimulatorRequest): Answer | undefined {
  const [api, , ...rest] = request.segments
  if (api === 'tiktok_media') return giveFile(world, state.files, request)
  if (api !== 'open_api') return undefined
  const route = `${request.method} ${rest.filter(Boolean).join('/')}`
  return answerAs(DIALECT, () => {
    switch (route) {
      case 'GET business/get': {
        const account = accountOf(world, request, request.query.get('business_id'))
        const behaviour = world.faults.apply({
          channel: 'tiktok',
          operation: 'accounts',
          phone_number_id: account.account_id,
        })
        const display_name = account.name ?? 'Simulated Business'
        return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () =>
          success({ username: 'simulated.business', display_name, profile_image: 'https://example.com/picture.png' }),
        )
      }
      case 'POST business/message/send': {
        const body = parse(request.body)
        return postMessage(world, state, accountOf(world, request, body.business_id), body)
      }
      case 'POST business/message/media/download': {
        const body = parse(request.body)
        const { account_id } = accountOf(world, request, body.business_id)
        return giveAddress(world, state.files, account_id, request, body)
      }
      case 'POST business/message/media/upload': {
        const { account_id } = accountOf(world, request, businessOf(request))
        return uploadMedia(world, state, account_id, request)
      }
      default:
        throw new TikTokError(40007, 'There is no such path.')
    }
  })
}

function accountOf(world: World, { access_token }: SimulatorRequest, business_id: unknown) {
  const account = world.accounts.get('tiktok', String(business_id))
  const is_known = world.accounts.of('tiktok').some((each) => each.access_token === access_token)
  if (!is_known) throw new TikTokError(40105)
  if (account?.access_token !== access_token) throw new TikTokError(40001)
  return account
}

function parse(bytes: Buffer): Record<string, unknown> {
  try {
    const value = JSON.parse(bytes.toString('utf8')) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Falls through to the common error.
  }
  throw new TikTokError(40002, 'The request body is not a valid JSON object.')
}
