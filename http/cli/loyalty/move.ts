/** `parley loyalty earn`, `redeem` and `adjust`. */

import { type Command, InvalidArgumentError } from 'commander'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import type { OperatorLedgerEntry } from '../records/generated.ts'
import { printJson, printLine } from '../terminal/terminal.ts'
import { ledgerPath, type Options, signed } from './entry.ts'

type MoveOptions = Options & { ref?: string; key?: string }

const verbs = {
  earn: {
    summary: 'add points or stamps',
    description: 'Adds points or stamps to a membership.',
    amount: 'how many',
    example: 'earn 66f2a0c1d4e5f60718293a4b 120 --ref order-A-1001 --key till-4-receipt-17',
  },
  redeem: {
    summary: 'take points or stamps for a reward',
    description: 'Takes points or stamps from a membership. Refused when it has fewer.',
    amount: 'how many',
    example: 'redeem 66f2a0c1d4e5f60718293a4b 50 --ref reward-coffee',
  },
  adjust: {
    summary: 'correct a balance',
    description: 'Corrects the balance of a membership. Entries of a ledger are never changed, so this adds one.',
    amount: 'the difference, such as 20 or -20',
    example: 'adjust 66f2a0c1d4e5f60718293a4b -20 --ref "booked twice"',
  },
} as const

export function addMovementCommands(loyalty: Command): void {
  for (const [kind, { summary, description, amount, example }] of Object.entries(verbs)) {
    const command = withOperatorOptions(loyalty.command(kind))
      .summary(summary)
      .description(description)
      .argument('<membership>', 'its id (parley loyalty memberships list)')
      .argument('<amount>', amount, parseAmount)
      .option('--ref <text>', 'your own reference, kept with the movement')
      .option('--key <text>', 'a name of this movement: repeating the command with the same key changes nothing')
      .option('--json', 'print JSON')
      .action((id: string, amount: number, options: MoveOptions) => move(kind, id, amount, options))
    withExamples(command, [`parley loyalty ${example}`])
  }
}

async function move(kind: string, id: string, amount: number, { ref, key, ...options }: MoveOptions): Promise<void> {
  const body = { kind, amount, ...(ref !== undefined && { ref }), ...(key !== undefined && { key }) }
  const entry: OperatorLedgerEntry = await connectAsOperator(options).api.call('POST', ledgerPath(id), body)
  if (options.json) printJson(entry)
  else printLine(`${signed(entry.amount)}, balance ${entry.balance_after} (movement ${entry.number} of ${id}).`)
}

function parseAmount(text: string): number {
  const amount = /^-?\d{1,10}$/.test(text) ? Number(text) : 0
  if (amount !== 0) return amount
  throw new InvalidArgumentError('It must be a whole number other than 0.')
}
