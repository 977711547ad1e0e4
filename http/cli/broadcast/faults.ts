import { ApiRefusal } from '../connection/api.ts'
import { remark, table } from '../terminal/terminal.ts'
import type { Fault, Recipient } from './sheet.ts'

/** Maximum lines of the report; --json has all. */
const TOLD = 20

/** Prints the errors of a file, by line. */
export function tellFaults(faults: Fault[]): void {
  const rows = faults.slice(0, TOLD).map(({ line, column, message }) => [String(line), column, message])
  process.stderr.write(table(['line', 'column', 'what is wrong'], rows, 2, process.stderr))
  if (faults.length > TOLD) remark(`There are ${faults.length - TOLD} more: --json prints all.`)
}

/** Maps the API's violations of recipients to their lines; undefined for other errors. */
export function faultsOf(error: unknown, recipients: Recipient[]): Fault[] | undefined {
  if (!(error instanceof ApiRefusal)) return undefined
  const faults = (error.details.violations ?? []).map(({ path, message }) => {
    const [, index = '', column = ''] = /^recipients\.(\d+)(?:\.variables)?\.?(.*)$/.exec(path) ?? []
    const line = recipients[Number(index)]?.line
    return index !== '' && line !== undefined ? { line, column, message } : undefined
  })
  return faults.length > 0 && faults.every((fault) => fault !== undefined) ? faults : undefined
}
