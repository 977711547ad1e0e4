/** The stages of a pipeline in requests and answers. */
import * as v from 'valibot'
import { across, fieldsOf, itemsOf, named, repeated } from '../../../actors/mod.ts'
import { publicStage, stageRules } from '../../routes/tickets/stage_fields.ts'
import { UNIQUE } from '../../server/parse/validation.ts'
import { name, objectId, timestamp } from '../fields.ts'

const MAX = 100

export const position = v.pipe(
  v.number('must be a number'),
  v.integer('must be a whole number'),
  v.minValue(0, 'must be at least 0'),
  v.maxValue(1_000_000, 'must be at most 1000000'),
  v.description('Place in the pipeline; stages are ordered by the given positions, then numbered from 0'),
)

export const newStage = v.strictObject({
  name,
  position: v.optional(position),
  rules: v.optional(stageRules, {}),
})

const keptStage = v.strictObject({
  _id: v.optional(objectId),
  name: v.optional(name),
  position: v.optional(position),
  rules: v.optional(stageRules),
})

const tooFew = 'must have at least one stage'
const tooMany = `must have at most ${MAX} stages`

export const newStages = v.pipe(
  v.array(newStage, 'must be a list of stages'),
  v.minLength(1, tooFew),
  v.maxLength(MAX, tooMany),
)

export const keptStages = v.pipe(
  v.array(keptStage, 'must be a list of stages'),
  v.minLength(1, tooFew),
  v.maxLength(MAX, tooMany),
  across((value, say) => {
    const stages = itemsOf(value)
    stages.forEach((stage, at) => {
      const { _id, name } = fieldsOf(stage)
      if (fieldsOf(stage) === stage && _id === undefined && name === undefined) {
        say('is required of a new stage, which is one without _id', [at, 'name'])
      }
    })
    for (const at of repeated(stages.map((stage) => fieldsOf(stage)._id))) say('is there twice', [at, '_id'], UNIQUE)
  }),
)

export const stageRecord = named(
  'StageRecord',
  v.object({
    ...publicStage.entries,
    pipeline_id: objectId,
    project_id: objectId,
    created_at: timestamp,
    updated_at: timestamp,
  }),
)
