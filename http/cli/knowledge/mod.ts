import type { Command } from 'commander'
import { addChangeCommands } from './change.ts'
import { addImportCommand } from './import.ts'
import { addLookCommands } from './look.ts'
import { addReindexCommand } from './reindex.ts'

/** Commands for the knowledge of a project. */
export function addKnowledgeCommands(program: Command): void {
  const knowledge = program
    .command('knowledge')
    .summary('the documents that assistants answer from')
    .description(
      'Works with the knowledge of a project: a tree of folders and documents. Uses the operator API, except for imports.',
    )
  addLookCommands(knowledge)
  addChangeCommands(knowledge)
  addImportCommand(knowledge)
  addReindexCommand(knowledge)
}
