import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type FlowStatus = 'draft' | 'published' | 'deprecated' | 'throttled' | 'blocked'

/** An interactive Flow that was registered with the provider through the API. */
export const Flow = defineEntity({
  name: 'Flow',
  tableName: 'flow',
  properties: {
    id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    channel_id: p.text(),
    /** The provider's own id of the Flow, used by templates and its webhooks. */
    provider_flow_id: p.text(),
    name: p.text(),
    status: p.text().$type<FlowStatus>(),
    categories: p.array<string>().columnType('text[]'),
    /** Errors that the provider found in the Flow JSON, in its words. */
    validation_errors: p.json<Record<string, unknown>[]>().columnType('json'),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Flow = InferEntity<typeof Flow>
