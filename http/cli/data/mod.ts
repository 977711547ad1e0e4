import type { Command } from 'commander'
import { addEraseCommands } from './erase.ts'
import { addExportCommand } from './export.ts'

export { addRetentionCommands } from './retention.ts'

export function addDataCommands(program: Command): void {
  const data = program
    .command('data')
    .summary('export or erase the data of a person or a project')
    .description('Exports or erases the data of a contact, a customer or a project.')
  addExportCommand(data)
  addEraseCommands(data)
}
