import { ApiRefusal } from '../api.ts'
import { remark, table } from '../terminal.ts'
import type { Fault, Recipient } from './sheet.ts'

/** Lines of the report; --json has all. */
const TOLD = 20

/** What is wrong in a file, by line, for people. */
export function tellFaults(faults: Fault[]): void {
  const rows = faults.slice(0, TOLD).map(({ line, column, message }) => [String(line), column, message])
  process.stderr.write(table(['line', 'column', 'what is wrong'], rows, 2, process.stderr))
  if (faults.length > TOLD) remark(`There are ${faults.length - TOLD} more: --json prints all.`)
}

/** What the API says against recipients, by the lines they were read from; undefined when it says anything else. */
export function faultsOf(error: unknown, recipients: Recipient[]): Fault[] | undefined {
  if (!(error instanceof ApiRefusal)) return undefined
  const faults = (error.details.violations ?? []).map(({ path, message }) => {
    const [, index = '', column = ''] = /^recipients\.(\d+)(?:\.variables)?\.?(.*)$/.exec(path) ?? []
    const line = recipients[Number(index)]?.line
    return index !== '' && line !== undefined ? { line, column, message } : undefined
  })
  return faults.length > 0 && faults.every((fault) => fault !== undefined) ? faults : undefined
}
