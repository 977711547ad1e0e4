import { type Providers, type ProviderTemplate, reasonOf, verdictOf } from '../../actors/mod.ts'
import { type Channel, type Database, newDate, replaceTemplates, setChannelStatus } from '../../storage/mod.ts'

export type CheckResult = {
  ok: boolean
  /** Why the provider said no or could not be asked; null when it said yes. */
  reason: string | null
  templates: { synced: number; reason: string | null }
}

/** Makes the stored templates of a channel what the provider listed. */
export type StoreTemplates = (templates: ProviderTemplate[]) => Promise<void>

/** For a channel that no project has in memory yet. Later its project alone writes them, and tells of what changed. */
const storeFirst =
  (database: Database, channel: Channel, now: Date): StoreTemplates =>
  (templates) =>
    replaceTemplates(database, channel, templates, now)

/**
 * Asks the provider about the channel, stores what it said and brings its templates up to date, where it keeps any.
 *
 * Only an answer changes the channel's status. A provider that cannot be reached leaves it as it was, with the reason: the
 * credentials may well be good, and a passing outage says nothing of a channel that works.
 *
 * @returns undefined when nothing here speaks with such a provider
 */
export async function checkChannel(
  providers: Providers,
  database: Database,
  channel: Channel,
  credentials: Record<string, string>,
  store?: StoreTemplates,
): Promise<CheckResult | undefined> {
  const provider = providers.of(channel)
  if (!provider) return undefined
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
