/**
 * Lists what is wrong with the installation, in words that say what to do. The worst come first; `place` is the part of the
 * page that has more.
 */
import { MAX_DEAD_LETTERS, MAX_NOTED } from '../../../storage/mod.ts'
import type { OverviewNode } from './overview_fields.ts'

export type Warning = { level: 'bad' | 'wary'; title: string; advice: string; place: string | null }

type Facts = {
  nodes: readonly OverviewNode[]
  owners: readonly (number | null)[]
  backlogs: Readonly<Record<string, number>>
  rates: Readonly<Record<string, number>>
  /** Warnings about the settings of the nodes. */
  setting_warnings: readonly string[]
}

/** Seconds and milliseconds from which on something is worth a warning. */
const LATE = { lease_s: 10, loop_ms: 250, outbox_s: 30, timers_s: 60, sends_s: 300, webhooks_s: 120, documents_s: 600 }

export function warningsOf(facts: Facts): Warning[] {
  const all = [...ofCluster(facts), ...ofBacklogs(facts), ...ofRecords(facts)]
  return [...all.filter(({ level }) => level === 'bad'), ...all.filter(({ level }) => level === 'wary')]
}

function ofCluster({ nodes, owners, setting_warnings }: Facts): Warning[] {
  const place = 'cluster'
  const warnings: Warning[] = setting_warnings.map((advice) => ({
    level: 'bad',
    title: 'The nodes have different settings',
    advice,
    place,
  }))
  const orphans = owners.filter((owner) => owner === null).length
  if (orphans > 0) {
    warnings.push({
      level: nodes.length === 0 || orphans * 4 > owners.length ? 'bad' : 'wary',
      title: `${counted(orphans, 'partition')} of ${owners.length} ${orphans === 1 ? 'has' : 'have'} no owner`,
      advice:
        'Their projects wait. This is normal for a few seconds while a node joins or leaves. If it lasts, look into the ' +
        'logs of the nodes, and check that each reaches PostgreSQL and NATS (GET /ready).',
      place,
    })
  }
  for (const node of nodes) warnings.push(...ofNode(node))
  const releases = [...new Set(nodes.map(({ release }) => release ?? 'an older release'))].sort()
  if (releases.length > 1) {
    warnings.push({
      level: 'wary',
      title: `The nodes run different releases: ${releases.join(', ')}`,
      advice: 'This is normal during an upgrade. Restart the remaining nodes with the new release to finish it.',
      place,
    })
  }
  return warnings
}

function ofNode({ id, host, is_connected, lease_age_s, figures, leaving }: OverviewNode): Warning[] {
  const name = `Node ${id.slice(0, 6)} on ${host}`
  const place = 'cluster'
  const warnings: Warning[] = []
  if (!is_connected) {
    warnings.push({
      level: 'bad',
      title: `${name} is cut off from the broker`,
      advice: 'It gets no partitions until it is back. Check the network between its machine and NATS, and NATS_URL.',
      place,
    })
  }
  if (lease_age_s !== null && lease_age_s > LATE.lease_s) {
    warnings.push({
      level: 'bad',
      title: `${name} does not renew its lease`,
      advice: 'It is stopped, or cannot reach PostgreSQL. The other nodes take its partitions; check the machine.',
      place,
    })
  } else if (figures === null && !leaving) {
    warnings.push({
      level: 'wary',
      title: `${name} did not answer in time`,
      advice: 'It has very much to do, or runs an older release. If it goes on, look into its log.',
      place,
    })
  }
  const loop_ms = Math.round((figures?.loop_delay_seconds ?? 0) * 1000)
  if (loop_ms > LATE.loop_ms) {
    warnings.push({
      level: 'wary',
      title: `${name} is overloaded: its event loop lags ${loop_ms} ms`,
      advice:
        'Requests wait that long. Add a node (PARLEY_NODES, or another machine), or look for the busiest project below.',
      place: 'backlogs',
    })
  }
  return warnings
}

function ofBacklogs({ backlogs, rates }: Facts): Warning[] {
  const warnings: Warning[] = []
  const late = (name: string, seconds: number, title: string, advice: string, place = 'backlogs') => {
    const age = backlogs[name] ?? 0
    if (age > seconds)
      warnings.push({ level: age > seconds * 10 ? 'bad' : 'wary', title: `${title} ${ago(age)}`, advice, place })
  }
  late(
    'outbox_oldest_s',
    LATE.outbox_s,
    'The oldest message between actors has waited',
    'Something keeps an actor from working. Look for partitions without an owner, for dead letters, and for errors in the logs.',
  )
  late(
    'timers_overdue_s',
    LATE.timers_s,
    'The oldest timer is overdue by',
    'Reminders and repeats come late. Look for partitions without an owner and for nodes that are overloaded.',
  )
  late(
    'sends_oldest_s',
    LATE.sends_s,
    'The oldest message to be sent has waited',
    'Channels with waiting messages say why: the provider refuses or limits them, or a broadcast is larger than its pace.',
    'channels',
  )
  late(
    'deliveries_overdue_s',
    LATE.webhooks_s,
    'Webhooks are late by',
    'Receivers answer slowly or fail. Each webhook shows its deliveries to the developers of its project.',
  )
  late(
    'documents_overdue_s',
    LATE.documents_s,
    'The index of the knowledge is behind by',
    'Searches miss new documents. The log of the nodes says why documents cannot be indexed.',
  )
  if ((rates.faults ?? 0) > 0) {
    warnings.push({
      level: 'wary',
      title: 'Turns of actors fail and are undone',
      advice:
        'They are repeated, and parked as dead letters after some attempts. The log names the actor and the error.',
      place: 'dead-letters',
    })
  }
  return warnings
}

function ofRecords({ backlogs }: Facts): Warning[] {
  const warnings: Warning[] = []
  const { dead_letters = 0, channels_unwell = 0, webhooks_disabled = 0, tokens_expiring = 0 } = backlogs
  const some = (count: number, noun: string, verb: string, advice: string, place: string) => {
    const most = place === 'dead-letters' ? MAX_DEAD_LETTERS : MAX_NOTED
    if (count > 0) warnings.push({ level: 'wary', title: `${counted(count, noun, most)} ${verb}`, advice, place })
  }
  some(
    dead_letters,
    'message',
    `between actors ${dead_letters === 1 ? 'is' : 'are'} parked as dead letters`,
    'Read the error, mend its cause, then replay them: each is applied once.',
    'dead-letters',
  )
  some(
    channels_unwell,
    'channel',
    `${channels_unwell === 1 ? 'is' : 'are'} disconnected`,
    'The reason is beside each. Ask the owner of the account for new credentials, then check the channel.',
    'channels',
  )
  some(
    webhooks_disabled,
    'webhook',
    `${webhooks_disabled === 1 ? 'is' : 'are'} disabled after failing too long`,
    'Tell the owner, who switches it on again and recovers the events that were missed.',
    'webhooks',
  )
  some(
    tokens_expiring,
    'token',
    `${tokens_expiring === 1 ? 'expires' : 'expire'} within a week`,
    'Programs that use them stop then. Ask the owners to replace them.',
    'tokens',
  )
  return warnings
}

/** `most`: the counting stopped at this number. */
function counted(count: number, noun: string, most = Number.POSITIVE_INFINITY): string {
  const number = new Intl.NumberFormat('en-GB').format(count)
  return `${number}${count >= most ? ' or more' : ''} ${noun}${count === 1 ? '' : 's'}`
}

function ago(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}
