import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { OfficeHours } from '../../values/office_hours.ts'

/** Requests a project may make in each rolling window; `ingest_minute` is the separate budget of the event ingest. */
export type ProjectLimits = { minute: number; hour: number; day: number; ingest_minute: number }

/** In units of the currency, which is that of the rates. */
export type MonthlyCap = { amount: number; currency: string }

/** The fields mean what those of `AssistantBudget` do. */
export type ProjectAssistantBudget = {
  day_tokens?: number
  day_cost?: string
  month_tokens?: number
  month_cost?: string
}

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
    /** The most that marketing may cost in a month. Null: no cap. */
    monthly_marketing_cap: p.json<MonthlyCap>().columnType('json').nullable(),
    /** The most that its assistants may spend together, in a day and in a month. Null: no bound. */
    assistant_budget: p.json<ProjectAssistantBudget>().columnType('json').nullable(),
    /** Minutes after which a visitor who has gone gets by e-mail what is unread. Null: never. */
    unread_mail_minutes: p.integer().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Project = InferEntity<typeof Project>
