import type { Command } from 'commander'
import { addActCommands } from './act.ts'
import { addLookCommands } from './look.ts'

export function addDeadLetterCommands(program: Command): void {
  const letters = program
    .command('dead-letters')
    .summary('see messages between actors that failed, replay or drop them')
    .description(
      'A message between actors that fails at every attempt is parked as a dead letter, with its error, and other ' +
        'messages go on. Fix the cause, then replay the letter, or drop it when it is no longer needed. Uses the ' +
        'operator API.',
    )
  addLookCommands(letters)
  addActCommands(letters)
}
