/** The message templates of a WhatsApp Business Account, managed through the Graph API while a client waits. */
import { UNREADABLE } from '../answer.ts'
import { type Json, objects, textOf } from '../json.ts'
import type { ProviderTemplate } from '../provider.ts'
import { AccountCalls } from './account_calls.ts'
import type { WhatsAppCredentials } from './graph.ts'
import { TEMPLATE_FIELDS, toTemplate } from './listed_template.ts'
import type { Failed } from './operation.ts'
import { type FileToUpload, uploadFiles } from './uploads.ts'

/** A template to submit. `parameter_format` says whether its placeholders are numbers or names. */
export type TemplateDraft = {
  name: string
  language: string
  category: string
  components: Json[]
  parameter_format: 'POSITIONAL' | 'NAMED'
}

/** Languages of one name; an account rarely has more than a few dozen. */
const NAMED_PER_PAGE = 200

/** Every call ends by `deadline` (a moment of `performance.now()`). None tries again, and none but `upload` rejects. */
export class WhatsAppTemplates extends AccountCalls {
  /** Uploads example files and returns their handles in the same order. Rejects only as a file's `open` does. */
  upload(
    credentials: WhatsAppCredentials,
    files: readonly FileToUpload[],
    deadline: number,
  ): Promise<{ handles: string[] } | Failed> {
    return uploadFiles(this.dispatcher, credentials, files, deadline)
  }

  /** Submits a new template. Meta answers with its first status, and may choose another category. */
  async create(
    credentials: WhatsAppCredentials,
    draft: TemplateDraft,
    deadline: number,
  ): Promise<{ template: Pick<ProviderTemplate, 'status' | 'category'> & { provider_template_id: string } } | Failed> {
    const path = `${credentials.business_account_id}/message_templates`
    const called = await this.call(credentials, 'POST', path, deadline, { body: draft })
    if ('failure' in called) return called
    const provider_template_id = textOf(called.body.id)
    if (provider_template_id === null) return { failure: UNREADABLE }
    const { status, category } = called.body
    const template = { provider_template_id, status: textOf(status) ?? 'PENDING' }
    return { template: { ...template, category: textOf(category) ?? draft.category } }
  }

  /** Changes a template, which Meta then reviews again. Meta allows it once a day and ten times a month. */
  change(
    credentials: WhatsAppCredentials,
    provider_template_id: string,
    fields: Partial<Pick<TemplateDraft, 'category' | 'components'>>,
    deadline: number,
  ): Promise<{ body: Json } | Failed> {
    return this.call(credentials, 'POST', provider_template_id, deadline, { body: fields })
  }

  /** Null when the provider has no such template. */
  async find(
    credentials: WhatsAppCredentials,
    provider_template_id: string,
    deadline: number,
  ): Promise<{ template: ProviderTemplate | null } | Failed> {
    const called = await this.call(credentials, 'GET', `${provider_template_id}?fields=${TEMPLATE_FIELDS}`, deadline)
    if ('failure' in called) return called.is_unknown ? { template: null } : called
    return { template: toTemplate(called.body)[0] ?? null }
  }

  /** The template of this name in this language; null when the account has none. */
  async findNamed(
    credentials: WhatsAppCredentials,
    { name, language }: { name: string; language: string },
    deadline: number,
  ): Promise<{ template: ProviderTemplate | null } | Failed> {
    const query = `fields=${TEMPLATE_FIELDS}&name=${encodeURIComponent(name)}&limit=${NAMED_PER_PAGE}`
    const path = `${credentials.business_account_id}/message_templates?${query}`
    const called = await this.call(credentials, 'GET', path, deadline)
    if ('failure' in called) return called
    // Graph also finds longer names.
    const found = objects(called.body.data).flatMap(toTemplate)
    return { template: found.find((one) => one.name === name && one.language === language) ?? null }
  }

  /** Deletes one language of a template. The name stays reserved for 30 days at the provider. */
  remove(
    credentials: WhatsAppCredentials,
    { name, provider_template_id }: { name: string; provider_template_id: string },
    deadline: number,
  ): Promise<{ body: Json } | Failed> {
    const query = `hsm_id=${encodeURIComponent(provider_template_id)}&name=${encodeURIComponent(name)}`
    return this.call(credentials, 'DELETE', `${credentials.business_account_id}/message_templates?${query}`, deadline)
  }
}
