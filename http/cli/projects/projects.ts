/** `parley projects`: the tenants of an installation, with their rate limits. */

import { type Command, InvalidArgumentError } from 'commander'
import { type Limits, limitsParser, spellLimits } from '../options/limits.ts'
import type { Project } from '../records/generated.ts'
import { addResource, type Json, optionFields, type Resource } from '../records/resource.ts'
import { type HoursOptions, officeHoursOf, spellOfficeHours, withOfficeHours } from './office_hours.ts'

function parseLimit(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

type Cap = { amount: number; currency: string }

function parseCap(text: string): Cap | 'none' {
  if (text === 'none') return text
  const [, amount, currency] = /^(\d{1,10}(?:\.\d{1,6})?) ?([A-Z]{3})$/.exec(text) ?? []
  if (amount && currency) return { amount: Number(amount), currency }
  throw new InvalidArgumentError('It must be an amount with its currency, such as 250USD, or none.')
}

function parseUnreadMail(text: string): number | 'none' {
  if (text === 'none') return text
  const minutes = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (minutes >= 1 && minutes <= 1440) return minutes
  throw new InvalidArgumentError('It must be a number of minutes from 1 to 1440, or none.')
}

const BUDGET = ['day_tokens', 'day_cost', 'month_tokens', 'month_cost']

type SettingOptions = HoursOptions & {
  name?: string
  marketingCap?: Cap | 'none'
  assistantBudget?: Limits | 'none'
  unreadMail?: number | 'none'
}

async function body(
  { name, marketingCap: cap, assistantBudget: assistant_budget, unreadMail: unread_mail, ...options }: SettingOptions,
  present?: () => Promise<Project>,
): Promise<Json> {
  const limits = optionFields(options, {
    limitMinute: 'minute',
    limitHour: 'hour',
    limitDay: 'day',
    limitIngestMinute: 'ingest_minute',
  })
  return {
    ...(name !== undefined && { name }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(await officeHoursOf(options, present)),
    ...(cap !== undefined && { monthly_marketing_cap: cap === 'none' ? null : cap }),
    ...(assistant_budget !== undefined && { assistant_budget: assistant_budget === 'none' ? null : assistant_budget }),
    ...(unread_mail !== undefined && { unread_mail_minutes: unread_mail === 'none' ? null : unread_mail }),
  }
}

const settings = (command: Command) =>
  withOfficeHours(command)
    .option('--limit-minute <number>', 'requests a minute', parseLimit)
    .option('--limit-hour <number>', 'requests an hour', parseLimit)
    .option('--limit-day <number>', 'requests a day', parseLimit)
    .option('--limit-ingest-minute <number>', 'CRM events a minute', parseLimit)
    .option('--marketing-cap <amount>', 'what marketing may cost in a month (UTC), such as 250USD, or none', parseCap)
    .option(
      '--assistant-budget <limits>',
      `what its assistants may spend: ${BUDGET.map((name) => `${name}=<number>`).join(',')}; or none`,
      limitsParser(BUDGET),
    )
    .option(
      '--unread-mail <minutes>',
      'minutes until visitors of the web chat get unread answers by e-mail, or none',
      parseUnreadMail,
    )

const projects: Resource<Project> = {
  name: 'projects',
  one: 'a project',
  many: 'projects',
  owner: 'company',
  lists_all: true,
  headings: ['id', 'company', 'a minute', 'an hour', 'a day', 'name'],
  row: ({ _id, company_id, limits, name }) => [
    _id,
    company_id,
    String(limits.minute),
    String(limits.hour),
    String(limits.day),
    name,
  ],
  flexible: 5,
  lines: ({
    _id,
    name,
    company_id,
    limits,
    office_hours,
    monthly_marketing_cap: cap,
    assistant_budget,
    unread_mail_minutes,
    created_at,
  }) => [
    ['project', _id],
    ['name', name],
    ['company', company_id],
    ['requests', `${limits.minute} a minute, ${limits.hour} an hour, ${limits.day} a day`],
    ['CRM events', `${limits.ingest_minute} a minute`],
    ...spellOfficeHours(office_hours),
    ['marketing', cap ? `at most ${cap.amount} ${cap.currency} a month` : 'no cap'],
    ['assistants', assistant_budget ? `at most ${spellLimits(assistant_budget)}` : 'no budget'],
    ['unread mail', unread_mail_minutes === null ? 'none' : `after ${unread_mail_minutes} minutes`],
    ['made', created_at],
  ],
  create: {
    description:
      'Creates a project in a company. Limits that are not given are those of the settings (PARLEY_LIMIT_…).',
    add: (command) => settings(command.requiredOption('--name <name>', 'its name')),
    body,
    examples: ['parley projects create --company 66f2a0c1d4e5f60718293a4b --name Support --limit-minute 600'],
  },
  update: {
    description:
      'Renames a project, or changes its rate limits, its office hours, its cap on marketing or its mails to visitors, from the next request on.',
    add: (command) => settings(command.option('--name <name>', 'its new name')),
    body,
    examples: [
      'parley projects update 66f2a0c1d4e5f60718293a4b --limit-minute 600 --limit-hour 10000 --limit-day 100000',
      'parley projects update 66f2a0c1d4e5f60718293a4b --timezone America/Mexico_City --hours mon-fri=09:00-18:00 --hours sat=10:00-14:00',
      'parley projects update 66f2a0c1d4e5f60718293a4b --marketing-cap 250USD',
      'parley projects update 66f2a0c1d4e5f60718293a4b --unread-mail 10',
    ],
  },
  deletion:
    'A project with tokens, channels, webhooks or records cannot be deleted: `parley data erase --project` erases it.',
  examples: {
    list: ['parley projects list', "parley projects list --json | jq -r '.[].name'"],
    show: ['parley projects show 66f2a0c1d4e5f60718293a4b'],
    delete: ['parley projects delete 66f2a0c1d4e5f60718293a4b --yes'],
  },
}

export function addProjectCommands(program: Command): void {
  const description = 'Manages the projects of an installation, which are its tenants, and their rate limits.'
  addResource(program, projects, 'projects and their rate limits', description)
}
