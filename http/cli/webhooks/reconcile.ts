import type { Command } from 'commander'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { mustBeInOrder, parseMoment } from '../options/time_option.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { paint, printJson, printLine, table } from '../terminal/terminal.ts'

type Options = OperatorOptions & { since?: string; until?: string; json?: boolean }
type Reconciliation = {
  since: string
  until: string
  events: number
  expected: number
  deliveries: Record<string, number>
  overdue: number
  differences: number
  examples: { kind: string; event_id: string; subscription_id: string; delivery_id: string | null }[]
}

export function addReconcileCommand(webhooks: Command): void {
  const command = withOperatorOptions(webhooks.command('reconcile'))
    .summary('prove that no delivery is missing')
    .description(
      'Compares every event of the last 24 hours, of all projects, with the deliveries it should have: one for ' +
        'each matching subscription, in exactly one state. Exit code 1 when there are differences.',
    )
    .option('--since <time>', 'beginning: 2h, 3d or ISO 8601', parseMoment)
    .option('--until <time>', 'end', parseMoment)
    .option('--json', 'print JSON')
    .action(reconcile)
  withExamples(command, [
    'parley webhooks reconcile',
    'parley webhooks reconcile --since 2026-11-01T00:00:00Z',
    'parley webhooks reconcile --json | jq .differences',
  ])
}

async function reconcile({ since, until, ...options }: Options): Promise<void> {
  mustBeInOrder({ since, until })
  const { api } = connectAsOperator(options)
  const query = new URLSearchParams(
    Object.entries({ since, until }).filter((pair): pair is [string, string] => !!pair[1]),
  )
  const found: Reconciliation = await api.call('GET', `/admin/v1/webhooks/reconcile?${query}`)
  if (options.json) printJson(found)
  else print(found)
  if (found.differences > 0) throw new CommandFailure(`${found.differences} differences.`, 1)
}

function print({ since, until, events, expected, deliveries, overdue, differences, examples }: Reconciliation): void {
  printLine(`${since} to ${until}: ${events} events, ${expected} deliveries expected`)
  printLine(
    table(
      ['state', 'deliveries'],
      Object.entries(deliveries).map(([state, count]) => [state, String(count)]),
      1,
    ),
  )
  if (overdue > 0) printLine(paint('yellow', `${overdue} have been due for more than ten minutes`))
  if (differences === 0) {
    printLine(paint('green', '0 differences'))
    return
  }
  const rows = examples.map(({ kind, event_id, subscription_id, delivery_id }) => [
    kind,
    event_id,
    subscription_id,
    delivery_id ?? '',
  ])
  printLine(table(['difference', 'event', 'subscription', 'delivery'], rows, 1))
}
