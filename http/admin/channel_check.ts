import { type Providers, type ProviderTemplate, reasonOf, verdictOf } from '../../actors/mod.ts'
import { type Channel, type Database, newDate, replaceTemplates, setChannelStatus } from '../../storage/mod.ts'

export type CheckResult = {
  ok: boolean
  /** The provider's refusal, or the reason why it could not be asked; null when it accepted the account. */
  reason: string | null
  templates: { synced: number; reason: string | null }
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
  const verdict = verdictOf(await provider.probe(credentials))
  if (verdict.is !== 'good') {
    const { reason } = verdict
    await setChannelStatus(database, channel._id, verdict.is === 'gone' ? 'disconnected' : undefined, reason, now)
    return { ok: false, reason, templates: { synced: 0, reason: provider.listTemplates ? reason : null } }
  }
  await setChannelStatus(database, channel._id, 'connected', null, now)
  const listed = await provider.listTemplates?.(credentials)
  if (!listed) return { ok: true, reason: null, templates: { synced: 0, reason: null } }
  if ('failure' in listed) return { ok: true, reason: null, templates: { synced: 0, reason: reasonOf(listed.failure) } }
  const { templates } = listed
  await (store ?? storeFirst(database, channel, now))(templates)
  return { ok: true, reason: null, templates: { synced: templates.length, reason: null } }
}
