import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** The stages that tickets of a project go through. A project has one default pipeline (a unique index). */
export const Pipeline = defineEntity({
  name: 'Pipeline',
  tableName: 'pipeline',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    name: p.text(),
    is_default: p.boolean(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Pipeline = InferEntity<typeof Pipeline>
