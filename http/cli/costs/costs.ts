/** `parley costs`: what messages have cost. */

import { type Command, Option } from 'commander'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { mustBeInOrder, parseMoment } from '../options/time_option.ts'
import type { CostTotal, GroupedCost } from '../records/generated.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printJson, printLine, remark, table } from '../terminal/terminal.ts'

type Options = OperatorOptions & {
  project?: string
  company?: string
  by: string
  since?: string
  until?: string
  json?: boolean
}
type Marketing = { month: string; currency: string; cap: number | null; spent: number; reserved: number }
type Page = {
  data: GroupedCost[]
  has_more: boolean
  totals: CostTotal[]
  marketing?: Marketing | null
  since: string
  until: string
}

export function addCostCommand(program: Command): void {
  const costs = withOperatorOptions(program.command('costs'))
    .summary('what messages have cost')
    .description(
      'Sums what delivered messages have cost, by the rates that were loaded (parley rates). Days and months are those of UTC.',
    )
    .option('--project <id>', 'of this project (default: the demo’s)')
    .option('--company <id>', 'of all projects of this company')
    .addOption(
      new Option('--by <group>', 'a line for each')
        .choices(['day', 'category', 'channel', 'broadcast', 'project'])
        .default('day'),
    )
    .option('--since <time>', 'from this time on (default: the beginning of this month)', parseMoment)
    .option('--until <time>', 'before this time (default: now)', parseMoment)
    .option('--json', 'print JSON')
    .action(showCosts)
  withExamples(costs, [
    'parley costs --project 66f2a0c1d4e5f60718293a4b --by category',
    'parley costs --company 66f2a0c1d4e5f60718293a4a --by project --since 2026-10-01 --until 2026-11-01 --json | jq .totals',
  ])
}

async function showCosts(options: Options): Promise<void> {
  mustBeInOrder(options)
  const { api, demo } = connectAsOperator(options)
  const { company: company_id, by: group_by, since, until } = options
  const project_id = options.project ?? (company_id === undefined ? demo?.project_id : undefined)
  if (!company_id && !project_id)
    throw new CommandFailure('--project or --company is missing (parley projects list).', 2)
  const parameters = Object.entries({ company_id, project_id, group_by, since, until, limit: '200' })
  const query = new URLSearchParams(parameters.filter((pair): pair is [string, string] => pair[1] !== undefined))
  const data: GroupedCost[] = []
  for (;;) {
    query.set('offset', String(data.length))
    const page = await api.call<Page>('GET', `/admin/v1/costs?${query}`)
    data.push(...page.data)
    if (page.has_more) continue
    const { totals, marketing, since: begin, until: end } = page
    if (options.json) return printJson({ since: begin, until: end, group_by, totals, marketing, data })
    print(data, totals, group_by)
    if (marketing) printMarketing(marketing)
    return
  }
}

function print(data: GroupedCost[], totals: CostTotal[], group_by: string): void {
  if (data.length === 0) {
    remark('No message was charged in this time.')
    return
  }
  const rows = data.map((row) => [
    row.group ?? 'none',
    row.label ?? '',
    amountOf(row),
    String(row.message_count),
    String(row.billable_count),
  ])
  process.stdout.write(table([group_by, 'name', 'amount', 'messages', 'charged'], rows, 1))
  for (const total of totals) printLine(`In all ${amountOf(total)} for ${total.message_count} messages.`)
}

/** Reports of a node of an older release have no `marketing`. */
function printMarketing({ month, currency, cap, spent, reserved }: Marketing): void {
  if (cap === null) return
  printLine(`Marketing in ${month}: ${spent} ${currency} spent and ${reserved} reserved, of ${cap} at most.`)
}

function amountOf({ amount, currency }: CostTotal): string {
  return amount === null ? 'no rate known' : `${amount} ${currency}`
}
