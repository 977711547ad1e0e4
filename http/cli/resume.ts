import type { Command } from 'commander'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from './connection/connection.ts'
import { withExamples } from './options/examples.ts'
import { mustAgree, withYes } from './terminal/confirm.ts'
import { printJson, printLine } from './terminal/terminal.ts'

type Options = OperatorOptions & { yes?: boolean; json?: boolean }
type Lags = { sends: number; webhooks: number }

export function addResumeCommand(program: Command): void {
  const resume = withYes(withOperatorOptions(program.command('resume')))
    .summary('let a restored or copied Parley send')
    .description(
      'Ends the quiet of a cluster whose database was restored or copied: messages, webhooks and mails that wait are ' +
        'sent, and everything that is due from now on. Asks first, with what waits. Uses the operator API.',
    )
    .option('--json', 'print JSON')
    .action(resumeCluster)
  withExamples(resume, ['parley resume', 'parley resume --yes --json'])
}

async function resumeCluster({ yes, json, ...options }: Options): Promise<void> {
  const { api } = connectAsOperator(options)
  const { quiet_since }: { quiet_since: string | null } = await api.call('GET', '/admin/v1/cluster')
  if (quiet_since !== null && !yes) {
    const { lags }: { lags: Lags } = await api.call('GET', '/admin/v1/activity')
    const question = `Quiet since ${quiet_since}. ${counted(lags.sends, 'message')} and ${counted(lags.webhooks, 'webhook delivery', 'webhook deliveries')} wait. Send them?`
    await mustAgree({ question, refusal: 'Nothing is sent' })
  }
  const { resumed } = await api.call<{ resumed: boolean }>('POST', '/admin/v1/cluster/resume')
  if (json) return printJson({ resumed, quiet_since: null })
  printLine(resumed ? 'What waits is sent now.' : 'This cluster was not quiet.')
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
