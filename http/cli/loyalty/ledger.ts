/** `parley loyalty ledger`. */

import { type Command, Option } from 'commander'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { limitOption, readPages } from '../connection/pages.ts'
import { withExamples } from '../options/examples.ts'
import { shortTime } from '../options/time_option.ts'
import type { OperatorLedgerEntry } from '../records/generated.ts'
import { printJson, remark, table } from '../terminal/terminal.ts'
import { ledgerPath, type Options, signed } from './entry.ts'

type LedgerOptions = Options & { kind?: string; ref?: string; limit: number }

export function addLedgerCommand(loyalty: Command): void {
  const ledger = withOperatorOptions(loyalty.command('ledger'))
    .summary('list the movements of a membership')
    .description('Lists the movements of a membership, newest first. The first one shows the balance.')
    .argument('<membership>', 'its id (parley loyalty memberships list)')
    .addOption(new Option('--kind <kind>', 'only those of this kind').choices(['earn', 'redeem', 'adjust', 'expire']))
    .option('--ref <text>', 'only those with this reference')
    .addOption(limitOption())
    .option('--json', 'print JSON')
    .action(listLedger)
  withExamples(ledger, [
    'parley loyalty ledger 66f2a0c1d4e5f60718293a4b',
    "parley loyalty ledger 66f2a0c1d4e5f60718293a4b --kind redeem --json | jq 'map(.amount) | add'",
  ])
}

async function listLedger(id: string, { kind, ref, limit, ...options }: LedgerOptions): Promise<void> {
  const { api } = connectAsOperator(options)
  const filter = { ...(kind && { kind }), ...(ref && { ref }) }
  const { rows: entries, total = 0 } = await readPages<OperatorLedgerEntry>(api, ledgerPath(id), filter, limit)
  if (options.json) return printJson(entries)
  if (entries.length === 0) return remark(`There are no ${kind || ref ? 'such ' : ''}movements.`)
  const rows = entries.map(({ number, created_at, kind, amount, balance_after, ref }) => {
    return [String(number), shortTime(created_at), kind, signed(amount), String(balance_after), ref ?? '']
  })
  process.stdout.write(table(['number', 'time (UTC)', 'kind', 'amount', 'balance', 'reference'], rows, 5))
  if (entries.length < total) remark(`${total - entries.length} more: --limit shows them.`)
}
