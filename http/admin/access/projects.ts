import * as v from 'valibot'
import {
  exampleIds,
  isAmount,
  named,
  newOfficeHours,
  officeHoursRecord,
  projectAssistantBudget,
  projectAssistantBudgetRecord,
  shownBudget,
  storedBudget,
} from '../../../actors/mod.ts'
import {
  changeProject,
  type Database,
  findRateCurrency,
  type MonthlyCap,
  Project,
  type ProjectAssistantBudget,
  type ProjectLimits,
  removeProject,
  storeProject,
} from '../../../storage/mod.ts'
import { type AssistantHooks, mustHavePrices } from '../../routes/assistants/work.ts'
import { refuseInvalid } from '../../server/errors/invalid.ts'
import { search } from '../../server/schema/fields.ts'
import { name, objectId, timestamp } from '../fields.ts'
import { refreshProject } from '../operations/refresh.ts'
import { resource } from '../resource.ts'

const budget = v.optional(
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
    v.maxValue(1_000_000_000, 'must be at most 1000000000'),
  ),
)
const limits = v.strictObject({ minute: budget, hour: budget, day: budget, ingest_minute: budget })

const hours = v.optional(v.nullable(newOfficeHours))
const cap = v.strictObject({
  amount: v.pipe(
    v.number('must be a number'),
    v.check(
      (value) => isAmount(value) && value > 0,
      'must be greater than 0 and at most 1000000000, with at most 6 places after the point',
    ),
  ),
  currency: v.string('must be a string'),
})
const given_cap = v.optional(
  v.pipe(v.nullable(cap), v.description('The cap on the cost of marketing in a month (UTC); null removes it')),
)

const given_budget = v.optional(
  v.pipe(
    v.nullable(projectAssistantBudget),
    v.description('The most that its assistants may spend together in a day and in a month (UTC), replaced as a whole'),
  ),
)

function budgetOf(given: v.InferOutput<typeof given_budget>) {
  if (given === undefined) return {}
  return { assistant_budget: given && storedBudget<ProjectAssistantBudget>(given) }
}

const unread_mail = v.optional(
  v.nullable(
    v.pipe(
      v.number('must be a number'),
      v.integer('must be a whole number'),
      v.minValue(1, 'must be at least 1'),
      v.maxValue(1440, 'must be at most 1440'),
      v.description('Minutes until visitors of the web chat get what they have not read by e-mail; null: never'),
    ),
  ),
)

/** A cap in another currency than that of the rates would never be reached. @throws {Refusal} VALIDATION_ERROR */
async function mustFitRates(database: Database, cap: MonthlyCap | null | undefined): Promise<void> {
  if (!cap) return
  const currency = await findRateCurrency(database)
  if (currency === cap.currency) return
  const message = currency === null ? 'needs rates: load them first' : `must be ${currency}, the currency of the rates`
  refuseInvalid([{ path: 'monthly_marketing_cap.currency', message, code: 'invalid_value' }])
}

const record = named(
  'Project',
  v.object({
    _id: objectId,
    company_id: objectId,
    name: v.string(),
    limits: v.object({ minute: v.number(), hour: v.number(), day: v.number(), ingest_minute: v.number() }),
    office_hours: v.pipe(
      v.nullable(officeHoursRecord),
      v.description('The hours in which people answer; null: always'),
    ),
    monthly_marketing_cap: v.pipe(
      v.nullable(v.object({ amount: v.number(), currency: v.string() })),
      v.description('The cap on the cost of marketing in a month (UTC); null without one'),
    ),
    assistant_budget: v.pipe(
      v.nullable(projectAssistantBudgetRecord),
      v.description('The most that its assistants may spend together in a day and in a month (UTC); null: no bound'),
    ),
    unread_mail_minutes: v.pipe(
      v.nullable(v.number()),
      v.description('Minutes until visitors of the web chat get what they have not read by e-mail; null: never'),
    ),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

function show(project: Project) {
  const { _id, company_id, office_hours = null, created_at, updated_at } = project
  const { minute, hour, day, ingest_minute } = project.limits
  const limits = { minute, hour, day, ingest_minute }
  const monthly_marketing_cap = project.monthly_marketing_cap ?? null
  const unread_mail_minutes = project.unread_mail_minutes ?? null
  return {
    _id,
    company_id,
    name: project.name,
    limits,
    office_hours,
    monthly_marketing_cap,
    assistant_budget: shownBudget(project.assistant_budget),
    unread_mail_minutes,
    created_at,
    updated_at,
  }
}

/** `default_limits`: limits of a project that names none (`PARLEY_LIMIT_*`). */
export const projectRoutes = (default_limits: ProjectLimits, assistants: AssistantHooks) =>
  resource({
    path: '/admin/v1/projects',
    entity: Project,
    record,
    show,
    create: {
      operation: 'create_project',
      summary: 'Create a project in a company; limits not given take their defaults',
      example: {
        body: {
          company_id: exampleIds.company,
          name: 'Support',
          limits: { minute: 120, hour: 2000, day: 20_000, ingest_minute: 6000 },
        },
      },
      body: v.strictObject({
        company_id: objectId,
        name,
        limits: v.optional(limits, {}),
        office_hours: hours,
        monthly_marketing_cap: given_cap,
        assistant_budget: given_budget,
        unread_mail_minutes: unread_mail,
      }),
      errors: ['COMPANY_NOT_FOUND'],
      async store(database, { limits, monthly_marketing_cap = null, assistant_budget, ...fields }) {
        await mustFitRates(database, monthly_marketing_cap)
        mustHavePrices(assistants, 'assistant_budget', assistant_budget)
        const budget = budgetOf(assistant_budget)
        return storeProject(database, {
          ...fields,
          ...budget,
          monthly_marketing_cap,
          limits: { ...default_limits, ...limits },
        })
      },
    },
    list: {
      operation: 'list_projects_of_companies',
      summary: 'List projects, newest first',
      filter: { company_id: v.optional(objectId), search },
    },
    get: { operation: 'get_project', summary: 'Get a project' },
    update: {
      operation: 'update_project',
      summary:
        'Rename a project, change some of its limits, its office hours, its cap on marketing, the budget of its assistants or its mails to visitors; they apply from the next request on',
      example: { body: { name: 'Customer support' } },
      fields: {
        name: v.optional(name),
        limits: v.optional(limits),
        office_hours: hours,
        monthly_marketing_cap: given_cap,
        assistant_budget: given_budget,
        unread_mail_minutes: unread_mail,
      },
      async change(database, id, { assistant_budget, ...patch }) {
        await mustFitRates(database, patch.monthly_marketing_cap)
        mustHavePrices(assistants, 'assistant_budget', assistant_budget)
        return changeProject(database, id, { ...patch, ...budgetOf(assistant_budget) })
      },
      refresh: (context, { _id }) => refreshProject(context, _id, 'limits', _id),
    },
    delete: {
      operation: 'delete_project',
      summary: 'Delete a project without tokens, channels, subscriptions and records',
      errors: ['IN_USE'],
      remove: removeProject,
    },
  })
