import { Command } from 'commander'
import { addAssistantsCommands } from './assistants/mod.ts'
import { addAuditCommands } from './audit.ts'
import { addBackupCommands } from './backup/mod.ts'
import { addBroadcastCommands } from './broadcast/mod.ts'
import { addClusterCommands } from './cluster.ts'
import { addCompletionCommand } from './completion/mod.ts'
import { releaseOf, warnOfExposedKeys } from './connection/connection.ts'
import { addCostCommands } from './costs/mod.ts'
import { addCrmCommands } from './crm/mod.ts'
import { addDataCommands, addRetentionCommands } from './data/mod.ts'
import { addDeadLetterCommands } from './dead_letters/mod.ts'
import { addDoctorCommand } from './doctor/mod.ts'
import { addEmailCommands } from './email/deliver.ts'
import { helpStyle } from './help.ts'
import { addInitCommand } from './init/mod.ts'
import { addKnowledgeCommands } from './knowledge/mod.ts'
import { addLoyaltyCommands } from './loyalty/mod.ts'
import { addConfigCommands } from './node/config.ts'
import { addMigrateCommand } from './node/migrate.ts'
import { addServeCommand } from './node/serve.ts'
import { addChannelCommands } from './projects/channels.ts'
import { addOperatorKeyCommands } from './projects/operator_keys.ts'
import { addProjectCommands } from './projects/projects.ts'
import { addTokenCommands } from './projects/token.ts'
import { addUserCommands } from './projects/users.ts'
import { addResumeCommand } from './resume.ts'
import { addAppointmentCommands } from './scheduling/appointments.ts'
import { addSecretsCommands } from './secrets/mod.ts'
import { addSimulateCommands } from './simulate/simulate.ts'
import { paint } from './terminal/terminal.ts'
import { addToolsCommands } from './tools/mod.ts'
import { addTopCommand } from './top/mod.ts'
import { addTraceCommand } from './trace.ts'
import { addUpgradeCommands } from './upgrade/mod.ts'
import { addWebhooksCommands } from './webhooks/mod.ts'

/** All commands, in the order help lists them. */
export function buildProgram(): Command {
  const program = new Command('parley')
    .description('Runs a Parley and works with one that runs.')
    .version(releaseOf())
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`${paint('red', asSentence(text), process.stderr)}\n`) })
    .configureHelp(helpStyle)
    .hook('preAction', (_, action) => warnOfExposedKeys(action))
  addServeCommand(program)
  addInitCommand(program)
  addDoctorCommand(program)
  addConfigCommands(program)
  addMigrateCommand(program)
  addUpgradeCommands(program)
  addSecretsCommands(program)
  addBackupCommands(program)
  addClusterCommands(program)
  addResumeCommand(program)
  addTopCommand(program)
  addTraceCommand(program)
  addDeadLetterCommands(program)
  addProjectCommands(program)
  addUserCommands(program)
  addChannelCommands(program)
  addTokenCommands(program)
  addAuditCommands(program)
  addOperatorKeyCommands(program)
  addSimulateCommands(program)
  addWebhooksCommands(program)
  addBroadcastCommands(program)
  addCostCommands(program)
  addToolsCommands(program)
  addEmailCommands(program)
  addCrmCommands(program)
  addAssistantsCommands(program)
  addKnowledgeCommands(program)
  addAppointmentCommands(program)
  addLoyaltyCommands(program)
  addDataCommands(program)
  addRetentionCommands(program)
  addCompletionCommand(program)
  return program
}

/** `error: unknown command 'tokn'` and a line `(Did you mean token?)` → one sentence. */
function asSentence(text: string): string {
  const [first = '', ...rest] = text
    .replace(/^error: /, '')
    .trim()
    .split('\n')
  if (rest.length === 0 && /^unknown command/.test(first))
    return asSentence(`${text.trim()}\n(\`parley --help\` lists them)`)
  const hint = rest.map((line) => line.replace(/^\(Did/, '(did').replace(/^\((.*)\)$/, ' ($1)')).join('')
  const sentence = first.charAt(0).toUpperCase() + first.slice(1).replace(/\.$/, '')
  return `${sentence}${hint}.`
}
