import type { Command } from 'commander'
import { addAssistantCommands } from './assistants.ts'
import { addBlockCommands } from './blocks.ts'

/** Commands for assistants and their instructions. */
export function addAssistantsCommands(program: Command): void {
  addAssistantCommands(program)
  addBlockCommands(program)
}
