/** `parley customers import`: creates a customer from each line of a file. */

import type { Command } from 'commander'
import { tellFaults } from '../broadcast/faults.ts'
import type { Fault } from '../broadcast/sheet.ts'
import { type Api, ApiRefusal } from '../connection/api.ts'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { readFileOf } from '../options/read_file.ts'
import type { CustomField, OperatorCustomer } from '../records/generated.ts'
import { type Options, type Owner, ownerOf, type Resource, withOwner } from '../records/resource.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { Progress } from '../terminal/progress.ts'
import { printable, printJson, printLine, remark } from '../terminal/terminal.ts'
import { type CustomerSheet, type Line, readCustomers } from './customer_sheet.ts'

/** Concurrent requests. */
const WORKERS = 8

type Owned = Pick<Resource, 'owner' | 'many'>

export function addImportCommand(group: Command, resource: Owned): void {
  const command = withOwner(withOperatorOptions(group.command('import')), resource)
    .summary('make customers of the lines of a file')
    .description(
      'Creates a customer from each line of a CSV file: a column “full_name” (or “name”), and “email”, “phone”, ' +
        '“external_id”, “tags” (separated by | or ;) and custom fields, by their key where the company has defined them, otherwise ' +
        'as “custom_fields.<key>”. Commas, semicolons or tabs; UTF-8. The file is checked first. Errors are listed ' +
        'by line, and then nobody is imported unless --skip-faulty leaves those lines out. A line with the phone, ' +
        'e-mail address or external id of an existing customer is skipped, so that an import can be repeated.',
    )
    .requiredOption('--csv <file>', 'the customers; - reads standard input')
    .option('--skip-faulty', 'skip lines with errors and import the others')
    .option('--dry-run', 'check the file, and import nobody')
    .option('--json', 'print JSON')
    .action((options: ImportOptions) => importCustomers(resource, options))
  withExamples(command, [
    "printf 'name,phone,tags\\nLuz Vega,+5215512345670,vip\\n' > customers.csv",
    'parley customers import --csv customers.csv --dry-run',
    'parley customers import --csv customers.csv --company 66f2a0c1d4e5f60718293a4b --skip-faulty',
  ])
}

type Outcome = { imported: number; present: number; faults: Fault[] }

type ImportOptions = Options & { csv: string; skipFaulty?: boolean; dryRun?: boolean }

async function importCustomers(resource: Owned, options: ImportOptions): Promise<void> {
  const bytes = await readFileOf(options.csv)
  const { api, demo } = connectAsOperator(options)
  const company = ownerOf(resource, options, demo)
  const defined: CustomField[] = await api.all('/admin/v1/custom-fields', { ...company, owner: 'customer' })
  // The check needs the schemas of the API, which other commands need not load.
  const { checkCustomers } = await import('./customer_check.ts')
  const sheet = checkCustomers(readCustomers(bytes, defined), defined)
  if (sheet.ignored_columns.length > 0 && !options.json) {
    remark(`Columns that are not read: ${sheet.ignored_columns.map(printable).join(', ')}.`)
  }
  if (options.dryRun || (sheet.faults.length > 0 && !options.skipFaulty)) return tellChecked(sheet, options)
  const { imported, present, faults } = await makeAll(api, company, sheet.lines, new Progress())
  const all = [...sheet.faults, ...faults].sort((a, b) => a.line - b.line)
  if (options.json) printJson({ imported, present, faults: all })
  else {
    if (all.length > 0) tellFaults(all)
    printLine(`${imported} imported${present > 0 ? `, ${present} were there` : ''}.`)
  }
  if (all.length > 0) throw new CommandFailure(`${linesIn(all)} not imported; correct the file and import it again.`)
}

function tellChecked({ lines, faults, ignored_columns }: CustomerSheet, { json, dryRun }: ImportOptions): void {
  if (json) printJson({ ok: faults.length === 0, customers: lines.length, faults, ignored_columns })
  else if (faults.length > 0) tellFaults(faults)
  else printLine(`${lines.length} customers, no faults; nobody is imported.`)
  if (faults.length === 0) return
  const advice = dryRun ? `${lines.length} are right` : '--skip-faulty leaves them out'
  throw new CommandFailure(`Nobody is imported, as ${linesIn(faults)} of the file must be corrected: ${advice}.`)
}

async function makeAll(api: Api, company: Owner, lines: Line[], progress: Progress): Promise<Outcome> {
  const outcome: Outcome = { imported: 0, present: 0, faults: [] }
  const queue = [...lines].reverse()
  let done = 0
  const work = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      await makeOne(api, company, next, outcome)
      progress.show(++done, lines.length)
    }
  }
  try {
    // A failing worker stops the others: finished lines stay, and a repetition skips them.
    await Promise.all(Array.from({ length: WORKERS }, () => work().finally(() => queue.splice(0))))
  } catch (error) {
    progress.clear()
    remark(`${outcome.imported} of ${lines.length} were imported; the same command goes on from there.`)
    throw error
  }
  progress.clear()
  return outcome
}

async function makeOne(api: Api, company: Owner, { line, customer }: Line, outcome: Outcome): Promise<void> {
  if (await isThere(api, company, customer)) {
    outcome.present++
    return
  }
  try {
    await api.call('POST', '/admin/v1/customers', { ...company, ...customer })
    outcome.imported++
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    if (error.code === 'EXTERNAL_ID_TAKEN') {
      // Another import was faster.
      outcome.present++
      return
    }
    if (error.code !== 'VALIDATION_ERROR') throw error
    const violations = error.details.violations ?? []
    outcome.faults.push(...violations.map(({ path, message }) => ({ line, column: path, message })))
  }
}

async function isThere(api: Api, company: Owner, { phone, email, external_id }: Line['customer']): Promise<boolean> {
  const ask = async (query: Record<string, string>) => {
    const path = `/admin/v1/customers?${new URLSearchParams({ ...company, ...query })}`
    return (await api.call<{ data: OperatorCustomer[] }>('GET', path)).data
  }
  if (external_id && (await ask({ external_id, limit: '1' })).length > 0) return true
  if (phone && (await ask({ phone, limit: '1' })).length > 0) return true
  if (!email) return false
  const found = await ask({ search: email, limit: '200' })
  return found.some((customer) => customer.email?.toLowerCase() === email.toLowerCase())
}

function linesIn(faults: Fault[]): string {
  const lines = new Set(faults.map(({ line }) => line)).size
  return lines === 1 ? '1 line' : `${lines} lines`
}
