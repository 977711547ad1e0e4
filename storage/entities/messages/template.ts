import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A message template as the provider holds it; refreshed by synchronisation, never edited here. */
export const Template = defineEntity({
  name: 'Template',
  tableName: 'template',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    channel_id: p.text(),
    name: p.text(),
    language: p.text(),
    /** As named by the provider, e.g. `APPROVED`. */
    status: p.text(),
    category: p.text(),
    /** The provider's id, which its edits and deletions name; null until a list was read. */
    provider_template_id: p.text().nullable(),
    /** Why the provider rejected it, in the provider's words. */
    rejected_reason: p.text().nullable(),
    /** The category before the provider changed it. */
    previous_category: p.text().nullable(),
    /** The category that the provider has announced. */
    next_category: p.text().nullable(),
    /** The provider's rating, such as `GREEN`. */
    quality: p.text().nullable(),
    components: p.json<Record<string, unknown>[]>().columnType('json'),
    synced_at: p.datetime(3),
  },
})

export type Template = InferEntity<typeof Template>
