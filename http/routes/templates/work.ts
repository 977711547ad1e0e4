/** The work of the template routes at the provider, in steps that leave nothing half done. */
import {
  isNumber,
  type ProviderTemplate,
  type TemplateDraft,
  templateVariables,
  type WhatsAppTemplates,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findTemplate, listTemplates, type Template } from '../../../storage/mod.ts'
import type { Where } from '../../media/media_store.ts'
import type { Operation, Outcome } from '../../server/changes/operation.ts'
import { type CloudChannel, isRefusal, openCloudChannel, throwFailure } from '../cloud_channel.ts'
import { exemplified, type TemplateWork } from './example_files.ts'

type Components = Record<string, unknown>[]

export type NewTemplate = {
  channel_id?: string | undefined
  name: string
  language: string
  category: string
  components: Components
  examples: Record<string, string>
}

export type TemplateEdit = {
  category?: string | undefined
  components?: Components | undefined
  examples: Record<string, string>
}

/** Facts of a template that nobody has received yet. */
const NEW_FACTS = { rejected_reason: null, previous_category: null, next_category: null, quality: 'UNKNOWN' }

/**
 * Submits a template. An earlier request under the same idempotency key may have reached the provider; its template is
 * then taken over instead of being refused for its name.
 *
 * @throws {Refusal} TEMPLATE_ALREADY_EXISTS, and as `openCloudChannel`, `exemplified` and `throwFailure`
 */
export async function createTemplate(
  work: TemplateWork,
  where: Where,
  { channel_id, examples, ...fields }: NewTemplate,
  { deadline, in_doubt }: Operation,
): Promise<Outcome> {
  const { templates } = work
  const cloud = await openCloudChannel(where, { channel_id })
  const { channel, credentials } = cloud
  const { name, language } = fields
  const known = await listTemplates(where.database, where.project_id, { channel_id: channel._id, name, language }, ONE)
  const [taken] = known.data
  if (taken && !in_doubt) {
    throw new Refusal('TEMPLATE_ALREADY_EXISTS', { details: { template_id: taken._id, name, language } })
  }
  const stored = (template: ProviderTemplate): Outcome => ({
    changes: [{ type: 'store_template', channel_id: channel._id, template }],
    answer: { record: true },
  })
  if (in_doubt) {
    const left = await templates.findNamed(credentials, { name, language }, deadline)
    if ('failure' in left) throwFailure(left.failure)
    if (left.template) return stored(left.template)
  }
  const content = { components: fields.components, examples }
  const components = await exemplified(work, where, cloud, content, deadline)
  const created = await templates.create(credentials, { ...fields, components, ...formatOf(components) }, deadline)
  if ('failure' in created) throwFailure(created.failure)
  return stored({ ...NEW_FACTS, ...fields, components, ...created.template })
}

const ONE = { limit: 1, cursor: undefined }

function formatOf(components: Components): Pick<TemplateDraft, 'parameter_format'> {
  const names = templateVariables(components).map((name) => name.replace(/^(?:card_\d+_)?(?:header|button)_/, ''))
  const is_named = names.some((name) => !isNumber(name) && !FILES.has(name))
  return { parameter_format: is_named ? 'NAMED' : 'POSITIONAL' }
}

/** The ends of variables that are no placeholders of a text. */
const FILES = new Set(['image', 'video', 'document', 'latitude', 'longitude', 'name', 'address'])

/** Edits a template; the provider's copy after the edit is stored, with its status under review. */
export async function changeTemplate(
  work: TemplateWork,
  where: Where,
  id: string,
  { category, components, examples }: TemplateEdit,
  { deadline }: Operation,
): Promise<Outcome> {
  const { templates } = work
  const row = await templateOf(where, id)
  const cloud = await openCloudChannel(where, { channel_id: row.channel_id })
  const { credentials } = cloud
  const provider_template_id = await providerIdOf(templates, row, credentials, deadline)
  if (provider_template_id === null) return gone(row, { error: { code: 'NOT_FOUND' } })
  const fields = {
    ...(category !== undefined && { category }),
    ...(components && { components: await exemplified(work, where, cloud, { components, examples }, deadline) }),
  }
  const changed = await templates.change(credentials, provider_template_id, fields, deadline)
  if ('failure' in changed) throwFailure(changed.failure)
  const found = await templates.find(credentials, provider_template_id, deadline)
  // The edit is done: the next list brings what a lost answer would have said.
  const template =
    'template' in found && found.template ? found.template : { ...factsOf(row, provider_template_id), ...fields }
  return {
    changes: [{ type: 'store_template', channel_id: row.channel_id, template }],
    answer: { record: true },
  }
}

function factsOf(row: Template, provider_template_id: string): ProviderTemplate {
  const { name, language, status, category, components } = row
  return {
    ...{ name, language, status, category, components, provider_template_id },
    rejected_reason: row.rejected_reason ?? null,
    previous_category: row.previous_category ?? null,
    next_category: row.next_category ?? null,
    quality: row.quality ?? null,
  }
}

/** Deletes a template. One that is gone at the provider counts as deleted. */
export async function deleteTemplate(
  templates: WhatsAppTemplates,
  where: Where,
  id: string,
  { deadline }: Operation,
): Promise<Outcome> {
  const row = await templateOf(where, id)
  const { credentials } = await openCloudChannel(where, { channel_id: row.channel_id })
  const provider_template_id = await providerIdOf(templates, row, credentials, deadline)
  if (provider_template_id === null) return gone(row, {})
  const removed = await templates.remove(credentials, { name: row.name, provider_template_id }, deadline)
  if (!('failure' in removed)) return gone(row, {})
  if (!isRefusal(removed.failure)) throwFailure(removed.failure)
  const found = await templates.find(credentials, provider_template_id, deadline)
  if ('failure' in found || found.template) throwFailure(removed.failure)
  return gone(row, {})
}

function gone({ channel_id, name, language }: Template, answer: Outcome['answer']): Outcome {
  return { changes: [{ type: 'drop_template', channel_id, name, language }], answer }
}

/** Null when the provider has no such template. Rows that an earlier release stored have no id yet. */
async function providerIdOf(
  templates: WhatsAppTemplates,
  row: Template,
  credentials: CloudChannel['credentials'],
  deadline: number,
): Promise<string | null> {
  if (row.provider_template_id) return row.provider_template_id
  const found = await templates.findNamed(credentials, row, deadline)
  if ('failure' in found) throwFailure(found.failure)
  return found.template?.provider_template_id ?? null
}

/** @throws {Refusal} NOT_FOUND */
export async function templateOf({ database, project_id }: Where, id: string): Promise<Template> {
  const row = await findTemplate(database, project_id, id)
  if (!row) throw new Refusal('NOT_FOUND')
  return row
}
