/** Pipelines as the public API shows them, and the part of them that operators see, too. */
import * as v from 'valibot'
import { named, recordId, timestamp, valuesOf } from '../../../actors/mod.ts'
import type { Pipeline, PipelineStage } from '../../../storage/mod.ts'
import { publicStage, showStage } from './stage_fields.ts'

const columns = v.object({
  _id: recordId,
  name: v.string(),
  is_default: v.pipe(v.boolean(), v.description('New tickets start in the first stage of this one')),
  created_at: timestamp,
  updated_at: timestamp,
})

export const publicPipeline = named('ProjectPipeline', v.object({ ...columns.entries, stages: v.array(publicStage) }))

export function showPipeline(pipeline: Pipeline, stages: PipelineStage[] = []) {
  return { ...valuesOf(columns, pipeline), stages: stages.map(showStage) }
}
