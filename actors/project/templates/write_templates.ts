/**
 * Changes rows of templates. Only this actor writes them, so that `whatsapp.template.updated` commits with each real
 * change.
 */
import { isDeepStrictEqual } from 'node:util'
import { objectId, Template } from '../../../storage/mod.ts'
import type { ProviderTemplate } from '../../providers/mod.ts'
import { templateVariables } from '../../providers/whatsapp/mod.ts'
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
  if (is_news) emit(turn, 'whatsapp.template.updated', toRecord(row), null)
}

/** Emits an event when a field really changed. */
export function writeTemplate(turn: ProjectTurn, row: Template, fields: Partial<ProviderTemplate>): void {
  const is_same = Object.entries(fields).every(([name, value]) => isDeepStrictEqual(value, row[name as keyof Template]))
  const patch = { ...fields, synced_at: turn.now }
  Object.assign(row, patch)
  turn.update(Template, { _id: row._id }, patch)
  if (is_same) return
  forget(turn, row)
  emit(turn, 'whatsapp.template.updated', toRecord(row), null)
}

/** Removes a template that the provider no longer has. */
export function dropTemplate(turn: ProjectTurn, row: Template): void {
  turn.remove(Template, { _id: row._id })
  turn.records.of(templateRowReads).delete(templateKey(row.channel_id, row))
  forget(turn, row)
  if (row.status === 'DELETED') return
  emit(turn, 'whatsapp.template.updated', { ...toRecord(row), status: 'DELETED' }, null)
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

/** A template as `GET /v1/messages/templates` shows it. */
function toRecord({ company_id: _company, project_id: _project, ...row }: Template) {
  return { ...row, variables: templateVariables(row.components) }
}
