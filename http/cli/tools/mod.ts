import type { Command } from 'commander'
import { addToolChangeCommands } from './change.ts'
import { addToolLookCommands } from './look.ts'
import { addToolTestCommands } from './test_call.ts'

export function addToolsCommands(program: Command): void {
  const tools = program
    .command('tools')
    .summary('webhook tools that agents may call')
    .description('Manages the webhook tools of a project, and tries them.')
  addToolLookCommands(tools)
  addToolChangeCommands(tools)
  addToolTestCommands(tools)
}
