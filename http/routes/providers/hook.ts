/** Calls of providers' webhooks, passed to the project that owns the channel. */
import {
  type Credentials,
  type Hook,
  MAX_LEVELS,
  nestsTooDeep,
  type ProjectProtocol,
  type Providers,
} from '../../../actors/mod.ts'
import { type Address, Refusal, type Runtime, Unavailable } from '../../../runtime/mod.ts'
import { type Channel, type Database, findChannel, newDate } from '../../../storage/mod.ts'
import { ReadLimiter } from '../../server/limits/read_limiter.ts'
import type { UnknownSender } from '../../server/limits/unknown_sender.ts'
import type { RawAnswer } from '../../server/route/route.ts'
import { MissCache } from './miss_cache.ts'
import type { ProviderHook } from './providers.ts'

const plain = (status: number, body: string): RawAnswer => ({ status, body, content_type: 'text/plain' })
/** Telegram accepts a call of its API as the answer; the other answers are plain words. */
const answered = ({ status, body }: { status: number; body: string }): RawAnswer => ({
  status,
  body,
  content_type: body.startsWith('{') ? 'application/json' : 'text/plain',
})
const MAX_KNOWN = 10_000
/** Maximum concurrent look-ups, batched into two statements. Limited because any caller may name any channel. */
const MAX_LOOK_UPS = 64

/** Characters of a provider's check; those of Meta have 150. */
const MAX_CHECK = 1024

type Known = Pick<Channel, 'project_id' | 'channel_type' | 'provider'>

export function providerHook(runtime: Runtime, database: Database, providers: Providers): ProviderHook {
  /** A channel's project and kind never change. */
  const channels = new Map<string, Known>()
  const misses = new MissCache()
  const read_limiter = new ReadLimiter(MAX_LOOK_UPS)

  /**
   * Limits callers that guess channel ids. Known channels are not limited: a provider calls for all its customers from
   * a few addresses.
   */
  async function find(channel_id: string, stranger: UnknownSender): Promise<Known | undefined> {
    const known = channels.get(channel_id)
    if (known) return known
    if (misses.has(channel_id)) return undefined
    const row = await read_limiter.run(() => {
      stranger.check('unknown_channel')
      return findChannel(database, channel_id)
    })
    if (row) return keep(row)
    stranger.count('unknown_channel')
    misses.add(channel_id)
    return undefined
  }

  function keep({ _id, project_id, channel_type, provider }: Channel): Known {
    const known = { project_id, channel_type, provider }
    if (channels.size >= MAX_KNOWN) channels.delete(channels.keys().next().value!)
    channels.set(_id, known)
    return known
  }

  /** Undefined when the channel does not exist, or has no credentials. */
  async function credentialsOf(channel_id: string): Promise<Credentials | undefined> {
    const row = await read_limiter.run(() => findChannel(database, channel_id))
    return row?.credentials ? JSON.parse(database.vault.open(row._id, 'credentials', row.credentials)) : undefined
  }

  /** Answers the provider's check of the address, which some make once when an operator enters the address. */
  async function verify(channel_id: string, hook: Hook, query: string): Promise<RawAnswer> {
    if (!hook.challenge) return plain(404, 'no such channel')
    if (query.length > MAX_CHECK) return plain(403, 'the check is too long')
    const challenge = hook.challenge(new URLSearchParams(query), (await credentialsOf(channel_id)) ?? {})
    return challenge === undefined ? plain(403, 'the verify token does not match') : plain(200, challenge)
  }

  return async (channel_type, channel_id, { method, headers, query, raw }, { stranger, cause }) => {
    const channel = await find(channel_id, stranger)
    const hook = channel?.channel_type === channel_type ? providers.of(channel)?.hook : undefined
    if (!channel || !hook) return plain(404, 'no such channel')
    if (method === 'GET') return verify(channel_id, hook, query)
    const address: Address<ProjectProtocol> = `project/${channel.project_id}`
    const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('utf8')
    if (nestsTooDeep(text)) return plain(400, `lists and objects must not nest deeper than ${MAX_LEVELS} levels`)
    const call = { raw: text, signature: headers[hook.signature_header] ?? null }
    const known = async () => (await credentialsOf(channel_id)) ?? {}
    const prepared = (await hook.prepare?.(call, known, newDate())) ?? call
    // The items carry the provider's ids, so a repeat changes nothing.
    const ask = (some: Some) =>
      runtime.ask(address, { type: 'inbound', channel_id, ...prepared, ...some, cause }, { repeatable: true })
    try {
      return answered(await inSlices(ask))
    } catch (error) {
      if (error instanceof Refusal || error instanceof Unavailable) throw error
      return oneByOne(ask, error)
    }
  }
}

type RawCall = ProjectProtocol['inbound']['message']
type Some = Pick<RawCall, 'only' | 'from'>
type Ask = (some: Some) => Promise<ProjectProtocol['inbound']['reply']>

/** Has a call stored, of which a turn takes a bounded number of entries. The last answer is that of the call. */
async function inSlices(ask: Ask): ReturnType<Ask> {
  let answer = await ask({ from: 0 })
  while (answer.next !== undefined) answer = await ask({ from: answer.next })
  return answer
}

/** Items of a call that are stored one by one. Those of the providers have a thousand at most. */
const MAX_ITEMS = 2_000

/**
 * Stores the items of a call that failed as a whole each on its own, so that one that cannot be stored does not undo the
 * others. The provider is told that it failed, and repeats the call: what was stored is not stored again.
 *
 * @throws {unknown} the error of the whole call, where it has a single item
 */
async function oneByOne(ask: Ask, error: unknown): Promise<RawAnswer> {
  const { items = 0 } = await ask({ only: 'count' })
  if (items < 2 || items > MAX_ITEMS) throw error
  let failed = 0
  for (let index = 0; index < items; index++) {
    try {
      await ask({ only: { index } })
    } catch (fault) {
      if (fault instanceof Unavailable) throw fault
      failed++
      await ask({ only: { index, failed: true } })
    }
  }
  return failed === 0 ? plain(200, 'EVENT_RECEIVED') : plain(500, `${failed} of ${items} parts could not be stored`)
}
