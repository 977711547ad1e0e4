import type { Command } from 'commander'
import { addActCommands } from './dead_letters/act.ts'
import { addLookCommands } from './dead_letters/look.ts'

export function addDeadLetterCommands(program: Command): void {
  const letters = program
    .command('dead-letters')
    .summary('see messages between actors that failed, replay or drop them')
    .description(
      'A message between actors that failed each time it was tried is parked as a dead letter, with its error, and the ' +
        'others go on. Mend the cause, then replay it; drop what is of no more use. Speaks to the operator API.',
    )
  addLookCommands(letters)
  addActCommands(letters)
}
