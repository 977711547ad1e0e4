import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** `unanswered`: after `after_minutes` without an answer. */
export type DeploymentAnswers = 'always' | 'outside_hours' | 'unanswered'

/** A place and a time at which an assistant answers. */
export const AssistantDeployment = defineEntity({
  name: 'AssistantDeployment',
  tableName: 'assistant_deployment',
  properties: {
    id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    assistant_id: p.text(),
    /** The place in the list of the assistant, from 0. */
    position: p.integer(),
    /** Empty: every channel of the project. */
    channel_ids: p.array<string>().columnType('text[]'),
    answers: p.text().$type<DeploymentAnswers>(),
    after_minutes: p.integer().nullable(),
    /** Only tickets with one of these tags; empty: every ticket. */
    tag_ids: p.array<string>().columnType('text[]'),
    is_active: p.boolean(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type AssistantDeployment = InferEntity<typeof AssistantDeployment>
