import type { Command } from 'commander'
import { addLedgerCommand } from './ledger.ts'
import { addMembershipCommands } from './memberships.ts'
import { addMovementCommands } from './move.ts'
import { addProgramCommands } from './programs.ts'

/** Commands for loyalty programs, memberships and their ledgers. */
export function addLoyaltyCommands(program: Command): void {
  const loyalty = program
    .command('loyalty')
    .summary('loyalty programs, memberships and their ledgers')
    .description('Works with the loyalty programs of a project. Uses the operator API.')
  addProgramCommands(loyalty)
  addMembershipCommands(loyalty)
  addMovementCommands(loyalty)
  addLedgerCommand(loyalty)
}
