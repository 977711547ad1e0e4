/** Checks the customers of a file as the API checks each, before anybody is imported. */
import { customFieldViolations, newCustomer } from '../../../actors/mod.ts'
import { check } from '../../server/parse/validation.ts'
import type { Fault } from '../broadcast/sheet.ts'
import type { CustomerSheet, DefinedField, Line } from './customer_sheet.ts'

/** The sheet without the customers that the API would refuse. Their violations are faults of their lines. */
export function checkCustomers(sheet: CustomerSheet, defined: DefinedField[]): CustomerSheet {
  const fields = new Map(defined.map((field) => [field.key, field]))
  const faults = new Map(sheet.lines.map((line) => [line, faultsOf(line, fields)]))
  return {
    ...sheet,
    lines: sheet.lines.filter((line) => faults.get(line)!.length === 0),
    faults: [...sheet.faults, ...[...faults.values()].flat()].sort((a, b) => a.line - b.line),
  }
}

function faultsOf({ line, customer }: Line, fields: ReadonlyMap<string, DefinedField>): Fault[] {
  const checked = check(newCustomer, customer)
  const violations = [
    ...('violations' in checked ? checked.violations : []),
    ...customFieldViolations(customer.custom_fields ?? {}, fields),
  ]
  return violations.map(({ path, message }) => ({ line, column: path, message }))
}
