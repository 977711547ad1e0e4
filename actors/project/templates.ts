/**
 * The message templates of WhatsApp accounts, kept equal to the provider's list. This actor alone changes their rows, so
 * that `whatsapp.template.updated` commits with each real change, and lists them itself, as slow work beside its turns:
 * what comes of it never leaves the node, however long the list is.
 *
 * Webhooks bring changes at once. A list is fetched when one of them tells of something that is not known here, and every
 * `SYNC_MS` (a durable timer, one per project), for what webhooks did not bring.
 */

import { isDeepStrictEqual } from 'node:util'
import { objectId, Template } from '../../storage/mod.ts'
import type { Providers, ProviderTemplate } from '../providers/mod.ts'
import { templateVariables } from '../providers/whatsapp/mod.ts'
import { isCloud } from './cloud_channel.ts'
import { emit, type ProjectTurn } from './events.ts'
import { isSameAccount, type Said } from './inbound_call.ts'
import { type ProjectChannel, type ProjectState, templateKey } from './state.ts'

const SYNC_MS = 6 * 3_600_000
/** After a list that could not be fetched. */
const AGAIN_MS = 10 * 60_000
const SPREAD = 0.2

/** The words of status webhooks that a list uses as well. The others (`FLAGGED`, `REINSTATED`) only hint at a change. */
const STATUSES = new Set([
  'APPROVED',
  'REJECTED',
  'PENDING',
  'IN_APPEAL',
  'PAUSED',
  'DISABLED',
  'ARCHIVED',
  'LIMIT_EXCEEDED',
  'PENDING_DELETION',
  'DELETED',
])

export type TemplatesListed = {
  channel_id: string
  templates: ProviderTemplate[]
  /** `templateName` of all there are: a list may come in parts, and with the last of them is known what is gone. */
  all: string[] | null
}

/** Lists under way, by channel: with the names that webhooks told of, and whether to fetch it once more. */
type Syncing = Map<string, { again: boolean }>
const under_way = new WeakMap<ProjectState, { running: Syncing; told: Set<string> }>()

function work(state: ProjectState) {
  let found = under_way.get(state)
  if (!found) {
    found = { running: new Map(), told: new Set() }
    under_way.set(state, found)
  }
  return found
}

export function templateName({ name, language }: { name: string; language: string }): string {
  return `${name} ${language}`
}

/** The provider's webhook: a template got another status. It speaks for all numbers of its account. */
export function templateReported(turn: ProjectTurn, { channel, item }: Said<'template'>, providers: Providers): void {
  for (const one of turn.state.channels.values()) {
    if (one.id !== channel.id && !isSameAccount(channel, one)) continue
    const key = templateKey(one.id, item.name, item.language)
    const row = turn.records.templateRows.get(key)
    if (row && STATUSES.has(item.status)) write(turn, row, { status: item.status })
    // Approved again after an edit: its text may be another one.
    const is_told = row !== undefined && STATUSES.has(item.status) && item.status !== 'APPROVED'
    if (is_told) continue
    if (!row) work(turn.state).told.add(key)
    fetchTemplates(turn, one, providers)
  }
}

/** Fetches the list of a channel, unless that is under way: then once more afterwards. */
function fetchTemplates(turn: ProjectTurn, channel: ProjectChannel, providers: Providers): void {
  const { running } = work(turn.state)
  const list = providers.of(channel)?.listTemplates
  if (!list) return
  const before = running.get(channel.id)
  if (before) {
    before.again = true
    return
  }
  running.set(channel.id, { again: false })
  const { id: channel_id, credentials } = channel
  turn.work(async () => {
    const listed = await list(credentials)
    if ('failure' in listed) return { type: 'templates_not_listed', channel_id }
    const { templates } = listed
    return { type: 'templates_listed', channel_id, templates, all: templates.map(templateName), is_fetched: true }
  })
}

/** The timer, or a new channel: fetches every list. */
export function syncTemplates(turn: ProjectTurn, providers: Providers): void {
  const channels = [...turn.state.channels.values()].filter((one) => one.is_active && isCloud(one))
  for (const channel of channels) fetchTemplates(turn, channel, providers)
  // Set at once, so that it comes again when this node does not live to see the lists.
  if (channels.length > 0) syncIn(turn, SYNC_MS)
}

/** Moves the timer. */
export function syncIn(turn: ProjectTurn, ms = SYNC_MS): void {
  turn.timer('templates', new Date(turn.now.getTime() + ms * (1 + SPREAD * Math.random())), { type: 'sync_templates' })
}

export function templatesNotListed(turn: ProjectTurn, { channel_id }: { channel_id: string }): void {
  work(turn.state).running.delete(channel_id)
  syncIn(turn, AGAIN_MS)
}

/** Makes the rows what the provider listed, and emits an event for each template that really changed. */
export function templatesListed(
  turn: ProjectTurn,
  { channel_id, templates, all, is_fetched }: TemplatesListed & { is_fetched?: boolean },
  providers: Providers,
): void {
  const { state, records } = turn
  const { running, told } = work(state)
  const again = is_fetched === true && running.get(channel_id)?.again === true
  if (is_fetched) running.delete(channel_id)
  const channel = state.channels.get(channel_id)
  if (!channel) return
  for (const listed of templates) {
    const key = templateKey(channel_id, listed.name, listed.language)
    const row = records.templateRows.get(key)
    if (row) write(turn, row, listed)
    else add(turn, channel, listed, told.has(key))
    told.delete(key)
  }
  if (is_fetched) {
    for (const key of told) if (key.startsWith(`${channel_id} `)) told.delete(key)
    syncIn(turn)
  }
  if (all) {
    const names = new Set(all)
    for (const row of [...records.templateRows.values()]) {
      if (row.channel_id === channel_id && !names.has(templateName(row))) drop(turn, row)
    }
  }
  if (again) fetchTemplates(turn, channel, providers)
}

function add(turn: ProjectTurn, channel: ProjectChannel, listed: ProviderTemplate, is_news: boolean): void {
  const { company_id, project_id } = turn.state
  const row = { _id: objectId(), company_id, project_id, channel_id: channel.id, ...listed, synced_at: turn.now }
  turn.insert(Template, row)
  turn.records.templateRows.set(templateKey(channel.id, row.name, row.language), row)
  forget(turn, row)
  // A first look at an account is no change of its templates.
  if (is_news) emit(turn, 'whatsapp.template.updated', toRecord(row), null)
}

function write(turn: ProjectTurn, row: Template, fields: Partial<ProviderTemplate>): void {
  const is_same = Object.entries(fields).every(([name, value]) => isDeepStrictEqual(value, row[name as keyof Template]))
  const patch = { ...fields, synced_at: turn.now }
  Object.assign(row, patch)
  turn.update(Template, { _id: row._id }, patch)
  if (is_same) return
  forget(turn, row)
  emit(turn, 'whatsapp.template.updated', toRecord(row), null)
}

function drop(turn: ProjectTurn, row: Template): void {
  turn.remove(Template, { _id: row._id })
  turn.records.templateRows.delete(templateKey(row.channel_id, row.name, row.language))
  forget(turn, row)
  if (row.status === 'DELETED') return
  emit(turn, 'whatsapp.template.updated', { ...toRecord(row), status: 'DELETED' }, null)
}

/** Sends look it up again, those of this very turn among them. */
function forget({ state, records }: ProjectTurn, row: Template): void {
  const key = templateKey(row.channel_id, row.name, row.language)
  state.templates.delete(key)
  const present = records.templateRows.get(key)
  if (present) records.templates.set(key, present)
  else records.templates.delete(key)
}

/** A template as `GET /v1/messages/templates` shows it. */
function toRecord({ company_id: _company, project_id: _project, ...row }: Template) {
  return { ...row, variables: templateVariables(row.components) }
}
