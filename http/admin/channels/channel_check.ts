import { type Providers, type ProviderTemplate, reasonOf, verdictOf } from '../../../actors/mod.ts'
import {
  type Channel,
  type Database,
  type IgnoredCallback,
  newDate,
  replaceTemplates,
  setChannelStatus,
} from '../../../storage/mod.ts'

export type CheckResult = {
  ok: boolean
  /**
   * The provider's refusal, or the reason why it could not be asked. When it accepted the account, null, or a fault of its
   * webhook calls.
   */
  reason: string | null
  templates: { synced: number; reason: string | null }
  /** Parts of webhook calls that were left out, the latest first. */
  ignored_callbacks: Required<IgnoredCallback>[]
}

/** Stores the provider's list as the templates of a channel. */
export type StoreTemplates = (templates: ProviderTemplate[]) => Promise<void>

/**
 * For a channel that no project has loaded yet. Afterwards only its project writes templates, and publishes the
 * changes.
 */
const storeFirst =
  (database: Database, channel: Channel, now: Date): StoreTemplates =>
  (templates) =>
    replaceTemplates(database, channel, templates, now)

/**
 * Asks the provider about the channel, stores the result and updates the channel's templates, if the provider has any.
 *
 * Only an answer changes the channel's status. An unreachable provider leaves the status as it was, with the reason:
 * the credentials may well be good, and a passing outage says nothing about a working channel.
 *
 * @returns undefined when no adapter exists for such a provider
 */
export async function checkChannel(
  providers: Providers,
  database: Database,
  channel: Channel,
  credentials: Record<string, string>,
  store?: StoreTemplates,
): Promise<CheckResult | undefined> {
  const provider = providers.of(channel)
  // The channel stays as it is known, so that operators can change it before they resume a copy.
  if (!provider || providers.is_quiet) return undefined
  const now = newDate()
  const found = { ignored_callbacks: latestFirst(channel.ignored_callbacks) }
  const verdict = verdictOf(await provider.probe(credentials))
  if (verdict.is !== 'good') {
    const { reason } = verdict
    await setChannelStatus(database, channel._id, verdict.is === 'gone' ? 'disconnected' : undefined, reason, now)
    return { ok: false, reason, templates: { synced: 0, reason: provider.listTemplates ? reason : null }, ...found }
  }
  const reason = foreignReason(channel)
  await setChannelStatus(database, channel._id, 'connected', reason, now)
  const listed = await provider.listTemplates?.(credentials)
  if (!listed) return { ok: true, reason, templates: { synced: 0, reason: null }, ...found }
  if ('failure' in listed) {
    return { ok: true, reason, templates: { synced: 0, reason: reasonOf(listed.failure) }, ...found }
  }
  const { templates } = listed
  await (store ?? storeFirst(database, channel, now))(templates)
  return { ok: true, reason, templates: { synced: templates.length, reason: null }, ...found }
}

/** `callbacks_heard_at` is exact to a day. */
const HEARD_MS = 2 * 86_400_000

/** Calls that are all about other accounts: the id of the account, or the address of the webhook, is that of another one. */
function foreignReason({ callbacks_heard_at, ignored_callbacks, provider_account_id }: Channel): string | null {
  const [foreign] = latestFirst(ignored_callbacks).filter(({ kind }) => kind === 'account')
  if (!foreign || (callbacks_heard_at && Date.parse(foreign.last_at) - callbacks_heard_at.getTime() < HEARD_MS))
    return null
  return `The provider calls this channel's webhook about the account ${foreign.name}, and not about ${provider_account_id}: compare the ids.`
}

function latestFirst(ignored: readonly IgnoredCallback[] | null | undefined): Required<IgnoredCallback>[] {
  const all = (ignored ?? []).map((one) => ({ ...one, sample_fields: one.sample_fields ?? [] }))
  return all.sort((one, other) => (one.last_at < other.last_at ? 1 : -1))
}
