/** The places and times at which an assistant answers, as the API shows and takes them. */
import * as v from 'valibot'
import type { AssistantDeployment } from '../../../storage/mod.ts'
import { across, fieldsOf, type InMemory, itemsOf, named, recordId, repeated, valuesOf } from '../../schema/mod.ts'

const MAX_DEPLOYMENTS_OF_ASSISTANT = 20
const MAX_PLACES = 50
/** A day. */
const MAX_AFTER_MINUTES = 1440

const answers = v.pipe(
  v.picklist(['always', 'outside_hours', 'unanswered']),
  v.description('outside_hours: while the office hours of the project are over. unanswered: after after_minutes'),
)

export const deploymentRecord = named(
  'AssistantDeployment',
  v.object({
    channel_ids: v.pipe(v.array(recordId), v.description('Empty: every channel of the project')),
    answers,
    after_minutes: v.pipe(v.nullable(v.number()), v.description('Null unless answers is unanswered')),
    tag_ids: v.pipe(v.array(recordId), v.description('Only tickets with one of these tags; empty: every ticket')),
    is_active: v.boolean(),
  }),
)

export type DeploymentRecord = InMemory<v.InferOutput<typeof deploymentRecord>>

export function toDeploymentRecord(row: AssistantDeployment): DeploymentRecord {
  return valuesOf(deploymentRecord, row)
}

const ids = v.pipe(
  v.array(v.unknown()),
  v.maxLength(MAX_PLACES),
  v.array(recordId),
  across((list, say) => {
    for (const at of repeated(itemsOf(list))) say('is listed twice', [at], 'unique')
  }),
)

const newDeployment = v.pipe(
  v.strictObject({
    channel_ids: v.optional(ids, []),
    answers,
    after_minutes: v.optional(
      v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_AFTER_MINUTES))),
      null,
    ),
    tag_ids: v.optional(ids, []),
    is_active: v.optional(v.boolean(), true),
  }),
  across((value, say) => {
    const { answers, after_minutes = null } = fieldsOf(value)
    if (answers === 'unanswered' && after_minutes === null)
      say('is required with answers unanswered', ['after_minutes'])
    if ((answers === 'always' || answers === 'outside_hours') && after_minutes !== null)
      say(`does not go with answers ${answers}; remove it`, ['after_minutes'])
  }),
)

/** The body that replaces the deployments of an assistant. */
export const newDeployments = v.strictObject({
  deployments: v.pipe(
    v.array(v.unknown()),
    v.maxLength(MAX_DEPLOYMENTS_OF_ASSISTANT),
    v.array(newDeployment),
    v.description('All of them, in the order in which they are tried'),
  ),
})

export type NewDeployment = v.InferOutput<typeof newDeployment>
