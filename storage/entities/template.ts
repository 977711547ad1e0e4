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
    components: p.json<Record<string, unknown>[]>().columnType('json'),
    synced_at: p.datetime(3),
  },
})

export type Template = InferEntity<typeof Template>
