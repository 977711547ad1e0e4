import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { OfficeHours } from '../values/office_hours.ts'

/** Requests a project may make in each rolling window; `ingest_minute` is the separate budget of the event ingest. */
export type ProjectLimits = { minute: number; hour: number; day: number; ingest_minute: number }

/** The unit of isolation: tokens, channels and records belong to one project. */
export const Project = defineEntity({
  name: 'Project',
  tableName: 'project',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    name: p.text(),
    limits: p.json<ProjectLimits>(),
    /** Null: always open. */
    office_hours: p.json<OfficeHours>().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Project = InferEntity<typeof Project>
