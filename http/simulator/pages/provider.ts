import { accountRecord } from '../accounts.ts'
import { type Answer, ok, type SimulatorRequest } from '../answer.ts'
import { answerAs, behaveAs } from '../behave.ts'
import { MagicRecipients } from '../magic.ts'
import type { AccountChannel, SimulatedAccount } from '../options.ts'
import type { Provider, World } from '../provider.ts'
import { DIALECT, PageError } from './errors.ts'
import { PageFiles } from './files.ts'
import { injectInbound } from './inbound.ts'
import { PAGE_MAGIC } from './magic.ts'
import { postMessage } from './send.ts'
import { controlThread, isThreadControl, moveThread } from './thread_control.ts'

const CHANNELS: AccountChannel[] = ['instagram', 'messenger', 'facebook']
const VERSION = /^v\d+(\.\d+)?$/

/** Meta's platform for pages, once for each of its channel types. */
export function pagesProviders(world: World): Provider[] {
  return CHANNELS.map((channel) => {
    const state = { magic: new MagicRecipients(PAGE_MAGIC), files: new PageFiles(channel) }
    return {
      channel,
      serve: (request) => serve(world, channel, state, request),
      inbound: (body, host) => injectInbound(world, channel, state.files, { body, host }),
      thread: (body) => moveThread(world, channel, body),
      control: [],
      describe: () => ({ accounts: world.accounts.of(channel).map(accountRecord) }),
    }
  })
}

/** `/{version?}/{account or me}/{edge?}`, and the files of people. Undefined when the account is not of this channel. */
function serve(
  world: World,
  channel: AccountChannel,
  { magic, files }: { magic: MagicRecipients; files: PageFiles },
  request: SimulatorRequest,
): Answer | undefined {
  if (files.isAt(request)) return files.give(world, request)
  const [id = '', edge = ''] = VERSION.test(request.segments[0] ?? '') ? request.segments.slice(1) : request.segments
  const token = /^(?:Bearer|OAuth) +(\S+)$/i.exec(request.authorization)?.[1] ?? request.query.get('access_token')
  const account =
    id === 'me'
      ? world.accounts.of(channel).find(({ access_token }) => access_token === token)
      : world.accounts.get(channel, id)
  if (!account) return undefined
  return answerAs(DIALECT, () => {
    if (account.access_token !== token) throw new PageError(190)
    files.reachedAt(account, request.host)
    if (edge === 'messages' && request.method === 'POST') return postMessage(world, magic, account, request)
    if (isThreadControl(edge) && request.method === 'POST') return controlled(world, account, edge, request)
    if (edge === '' && request.method === 'GET') return readAccount(world, account, request)
    throw new PageError(2500, { message: `Unknown path components: /${edge}` })
  })
}

function controlled(world: World, account: SimulatedAccount, edge: string, request: SimulatorRequest): Answer {
  const { channel, account_id } = account
  const behaviour = world.faults.apply({ channel, operation: 'accounts', phone_number_id: account_id })
  return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () => controlThread(world, account, edge, request))
}

function readAccount(world: World, account: SimulatedAccount, request: SimulatorRequest): Answer {
  const { channel, account_id, name = 'Simulated Business' } = account
  const behaviour = world.faults.apply({ channel, operation: 'accounts', phone_number_id: account_id })
  return behaveAs(DIALECT, behaviour, world.settings.latency_ms, () => {
    const record: Record<string, unknown> =
      channel === 'instagram'
        ? { id: account_id, user_id: account_id, username: 'simulated.business', name }
        : { id: account_id, name }
    const fields = request.query.get('fields')?.split(',') ?? ['id', 'name']
    return ok(Object.fromEntries(fields.filter((field) => field in record).map((field) => [field, record[field]])))
  })
}
