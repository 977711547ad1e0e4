import { type Channel, type Database, replaceTemplates, setChannelStatus } from '../../storage/mod.ts'
import type { WhatsappCredentials } from './channel_credentials.ts'
import { fetchTemplates, probeNumber } from './whatsapp_account.ts'

export type CheckResult = {
  ok: boolean
  /** Why the provider said no or could not be asked; null when it said yes. */
  reason: string | null
  templates: { synced: number; reason: string | null }
}

/**
 * Asks the provider about the channel, stores what it said and brings its templates up to date.
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
): Promise<CheckResult | undefined> {
  if (channel.channel_type !== 'whatsapp' || channel.provider === 'qr') return undefined
  const account = credentials as WhatsappCredentials
  const probe = await probeNumber(account)
  const reason = probe.ok ? null : probe.reason
  const now = new Date()
  const status = probe.ok ? 'connected' : probe.definitive ? 'disconnected' : undefined
  await setChannelStatus(database, channel._id, status, reason, now)
  if (!probe.ok) return { ok: false, reason, templates: { synced: 0, reason } }
  const templates = await fetchTemplates(account)
  if (!templates.ok) return { ok: true, reason, templates: { synced: 0, reason: templates.reason } }
  await replaceTemplates(database, channel, templates.value, now)
  return { ok: true, reason, templates: { synced: templates.value.length, reason: null } }
}
