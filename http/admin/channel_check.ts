import { type ProviderTemplate, WhatsAppClient } from '../../actors/mod.ts'
import { type Channel, type Database, replaceTemplates, setChannelStatus } from '../../storage/mod.ts'
import type { WhatsappCredentials } from './channel_credentials.ts'

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
 * Asks the provider about the channel, stores what it said and brings its templates up to date. Waits at most 5 s for
 * each answer.
 *
 * Only an answer changes the channel's status. A provider that cannot be reached leaves it as it was, with the reason:
 * the credentials may well be good, and a passing outage must not stop a channel that works.
 *
 * @returns undefined when this kind of channel cannot be asked
 */
export async function checkChannel(
  database: Database,
  channel: Channel,
  credentials: Record<string, string>,
  store?: StoreTemplates,
): Promise<CheckResult | undefined> {
  if (channel.channel_type !== 'whatsapp' || channel.provider === 'qr') return undefined
  const account = credentials as WhatsappCredentials
  const client = new WhatsAppClient()
  try {
    const now = new Date()
    const probe = await client.probe(account)
    if ('failure' in probe) {
      const reason = reasonOf(probe.failure)
      const status = isVerdict(probe.failure) ? 'disconnected' : undefined
      await setChannelStatus(database, channel._id, status, reason, now)
      return { ok: false, reason, templates: { synced: 0, reason } }
    }
    await setChannelStatus(database, channel._id, 'connected', null, now)
    const listed = await client.listTemplates(account)
    if ('failure' in listed)
      return { ok: true, reason: null, templates: { synced: 0, reason: reasonOf(listed.failure) } }
    const { templates } = listed
    await (store ?? storeFirst(database, channel, now))(templates)
    return { ok: true, reason: null, templates: { synced: templates.length, reason: null } }
  } finally {
    await client.close()
  }
}

type Failure = { kind: string; code: string; message: string }

/** The provider itself said no, in its own words; something in between (`http_502`) or a time-out does not count. */
function isVerdict({ kind, code }: Failure): boolean {
  return (kind === 'disconnect' || kind === 'refuse') && /^\d+$/.test(code)
}

function reasonOf({ code, message }: Failure): string {
  return /^\d+$/.test(code) ? `${message} (${code})` : message
}
