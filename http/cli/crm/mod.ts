import type { Command } from 'commander'
import { addCannedResponseCommands } from './canned_responses.ts'
import { addContactCommands } from './contacts.ts'
import { addCustomFieldCommands } from './custom_fields.ts'
import { addCustomerCommands } from './customers.ts'
import { addEventTypeCommands } from './event_types.ts'
import { addPipelineCommands } from './pipelines.ts'
import { addTagCommands } from './tags.ts'

/** Commands for the CRM's configuration, its customers and contacts. */
export function addCrmCommands(program: Command): void {
  addPipelineCommands(program)
  addTagCommands(program)
  addEventTypeCommands(program)
  addCustomFieldCommands(program)
  addCustomerCommands(program)
  addContactCommands(program)
  addCannedResponseCommands(program)
}
