/** `parley audit`: who changed what. */

import type { Command } from 'commander'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from './connection/connection.ts'
import { limitOption, readPages } from './connection/pages.ts'
import { withExamples } from './options/examples.ts'
import { mustBeInOrder, parseMoment, shortTime } from './options/time_option.ts'
import type { AuditEntry } from './records/generated.ts'
import { fields, paint, printable, printJson, printLine, remark, table } from './terminal/terminal.ts'

type Filter = {
  actorKind?: string
  actor?: string
  action?: string
  targetKind?: string
  target?: string
  company?: string
  project?: string
  since?: string
  until?: string
}

const AUDIT = '/admin/v1/audit'

export function addAuditCommands(program: Command): void {
  const audit = program
    .command('audit')
    .summary('see who changed what')
    .description(
      'Each change of a configuration leaves an entry that cannot be changed: who made it, when, from where, and the ' +
        'values before and after, without secrets. Uses the operator API.',
    )
  const list = withOperatorOptions(audit.command('list'))
    .summary('list changes, newest first')
    .description('Lists changes, newest first.')
    .option('--actor-kind <kind>', 'only changes by an operator, a token, a user of the console, or the system')
    .option('--actor <id>', 'only changes by this operator key, token or user')
    .option('--action <operation>', 'only this operation, such as update_channel')
    .option('--target-kind <kind>', 'only changes of records of this kind, such as channel')
    .option('--target <id>', 'only changes of this record')
    .option('--company <id>', 'only changes of this company and its records')
    .option('--project <id>', 'only changes of this project and its records')
    .option('--since <time>', 'made at or after: 2h, 3d or ISO 8601', parseMoment)
    .option('--until <time>', 'made before', parseMoment)
    .addOption(limitOption())
    .option('--json', 'print JSON')
    .action(listEntries)
  withExamples(list, [
    'parley audit list --since 1d',
    'parley audit list --action revoke_token --project 66f2a0c1d4e5f60718293a4b',
    "parley audit list --json --limit 10000 | jq -r '.[].actor.name' | sort | uniq -c",
  ])

  const show = withOperatorOptions(audit.command('show'))
    .summary('show a change with its values before and after')
    .description('Shows a change with its values before and after, without secrets.')
    .argument('<id>', 'the entry (parley audit list)')
    .option('--json', 'print JSON')
    .action(showEntry)
  withExamples(show, ['parley audit show 66f2a0c1d4e5f60718293a4f'])
}

async function listEntries(options: OperatorOptions & Filter & { limit: number; json?: boolean }): Promise<void> {
  mustBeInOrder({ ...(options.since && { since: options.since }), ...(options.until && { until: options.until }) })
  const filter = {
    actor_kind: options.actorKind,
    actor_id: options.actor,
    action: options.action,
    target_kind: options.targetKind,
    target_id: options.target,
    company_id: options.company,
    project_id: options.project,
    since: options.since,
    until: options.until,
  }
  const { api } = connectAsOperator(options)
  const { rows, more } = await readPages<AuditEntry>(api, AUDIT, filter, options.limit)
  if (options.json) printJson(rows)
  else if (rows.length === 0) {
    remark(Object.values(filter).some(Boolean) ? 'There are no such entries.' : 'Nothing was changed yet.')
  } else {
    const lines = rows.map((entry) => [
      entry._id,
      shortTime(entry.created_at),
      actorOf(entry),
      entry.action,
      targetOf(entry),
      changeOf(entry),
    ])
    process.stdout.write(table(['id', 'time (UTC)', 'by', 'operation', 'of', 'change'], lines, 5))
  }
  if (more) remark(paint('dim', 'There are more: a greater --limit shows them.', process.stderr))
}

async function showEntry(id: string, options: OperatorOptions & { json?: boolean }): Promise<void> {
  const entry: AuditEntry = await connectAsOperator(options).api.call('GET', `${AUDIT}/${encodeURIComponent(id)}`)
  if (options.json) return printJson(entry)
  printLine(
    fields([
      ['entry', entry._id],
      ['time', entry.created_at],
      ['by', entry.actor.id ? `${actorOf(entry)} (${entry.actor.id})` : actorOf(entry)],
      ['address', entry.address ?? 'none'],
      ['request', entry.request_id ?? 'none'],
      ['operation', entry.action],
      ['of', targetOf(entry)],
      ['company', entry.company_id ?? 'none'],
      ['project', entry.project_id ?? 'none'],
    ]),
  )
  if (entry.erased_at) return printLine(`\nThe values were erased at ${entry.erased_at}.`)
  const names = fieldsOf(entry)
  if (names.length === 0) return
  printLine('')
  const rows = names.map((name) => [name, valueText(entry.before, name), valueText(entry.after, name)])
  process.stdout.write(table(['field', 'before', 'after'], rows, 2))
}

function actorOf({ actor: { kind, name } }: AuditEntry): string {
  return name ? `${kind} ${name}` : kind
}

function targetOf({ target: { kind, id } }: AuditEntry): string {
  return id ? `${kind} ${id}` : kind
}

/** The names of the changed fields; of a new or deleted record every field differs. */
function changeOf(entry: AuditEntry): string {
  if (!entry.before && entry.after) return 'new'
  if (entry.before && !entry.after) return 'deleted'
  return fieldsOf(entry).join(', ')
}

function fieldsOf({ before, after }: AuditEntry): string[] {
  return Object.keys({ ...before, ...after })
}

function valueText(record: AuditEntry['before'], name: string): string {
  const value = record?.[name]
  if (value === undefined) return ''
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}
