/**
 * Changes rows of templates. Only this actor writes them, so that `whatsapp.template.updated` commits with each real
 * change.
 */
import { isDeepStrictEqual } from 'node:util'
import { objectId, Template } from '../../../storage/mod.ts'
import type { ProviderTemplate, TemplateFacts } from '../../providers/mod.ts'
import { toTemplateRecord } from '../../records/mod.ts'
import { emit } from '../turn/events.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { knownTemplates, templateFactReads } from './template_facts.ts'
import { templateKey } from './template_named.ts'
import { templateRowReads } from './template_rows.ts'

/** Adds a template that exists only at the provider. `is_news`: a webhook reported it. */
export function addTemplate(
  turn: ProjectTurn,
  channel: ProjectChannel,
  listed: ProviderTemplate,
  is_news: boolean,
): void {
  const { company_id, project_id } = turn.state
  const row = { _id: objectId(), company_id, project_id, channel_id: channel.id, ...listed, synced_at: turn.now }
  turn.insert(Template, row)
  turn.records.of(templateRowReads).set(templateKey(channel.id, row), row)
  forget(turn, row)
  // The first list of an account is no change of its templates.
  if (is_news) emit(turn, 'whatsapp.template.updated', toTemplateRecord(row), null)
}

/** Emits an event when a field really changed. */
export function writeTemplate(turn: ProjectTurn, row: Template, fields: Partial<ProviderTemplate>): void {
  const is_same = Object.entries(fields).every(
    ([name, value]) => isDeepStrictEqual(value, row[name as keyof Template] ?? null) || isFirstSight(row, fields, name),
  )
  const patch = { ...fields, synced_at: turn.now }
  Object.assign(row, patch)
  turn.update(Template, { _id: row._id }, patch)
  if (is_same) return
  forget(turn, row)
  emit(turn, 'whatsapp.template.updated', toTemplateRecord(row), null)
}

/** Facts whose first reading changes nothing: earlier releases did not read them. */
const FACTS = new Set<string>([
  'provider_template_id',
  'rejected_reason',
  'previous_category',
  'next_category',
  'quality',
] satisfies (keyof TemplateFacts)[])

/** The provider's list tells this fact of a known template for the first time. */
function isFirstSight(row: Template, fields: Partial<ProviderTemplate>, name: string): boolean {
  return !row.provider_template_id && fields.provider_template_id !== undefined && FACTS.has(name)
}

/** Removes a template that the provider no longer has. */
export function dropTemplate(turn: ProjectTurn, row: Template): void {
  turn.remove(Template, { _id: row._id })
  turn.records.of(templateRowReads).delete(templateKey(row.channel_id, row))
  forget(turn, row)
  if (row.status === 'DELETED') return
  emit(turn, 'whatsapp.template.updated', { ...toTemplateRecord(row), status: 'DELETED' }, null)
}

/** Makes sends look the template up again, including sends of this turn. */
function forget({ state, records }: ProjectTurn, row: Template): void {
  const key = templateKey(row.channel_id, row)
  knownTemplates.of(state).delete(key)
  const facts = records.of(templateFactReads)
  const present = records.of(templateRowReads).get(key)
  if (present) facts.set(key, present)
  else facts.delete(key)
}
