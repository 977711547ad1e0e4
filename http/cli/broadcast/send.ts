import type { Command } from 'commander'
import { type Api, ApiRefusal } from '../connection/api.ts'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { readFileOf } from '../options/read_file.ts'
import { mustAgree } from '../terminal/confirm.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable, printJson, printLine, remark } from '../terminal/terminal.ts'
import { faultsOf, tellFaults } from './faults.ts'
import { type Fault, type Recipient, readSheet, type Sheet } from './sheet.ts'
import { type Accepted, submit } from './submit.ts'
import { findTemplate, type Template, type TemplateChoice } from './template.ts'
import { watchToEnd } from './watch.ts'

type Options = TokenOptions &
  TemplateChoice & {
    csv: string
    campaign?: string
    skipFaulty?: boolean
    dryRun?: boolean
    yes?: boolean
    watch?: boolean
    json?: boolean
  }

/** Maximum recipients of one broadcast, as in the API. */
const MAX = 5000

export function addSendCommand(broadcast: Command): void {
  const command = withTokenOptions(broadcast.command('send'))
    .summary('send a template to everybody in a file')
    .description(
      'Sends a template to everyone in a CSV file with a column “phone” and a column for each variable of the ' +
        'template. Commas, semicolons or tabs; UTF-8. The file is checked first, and errors are listed by line. ' +
        'Nothing is sent while a phone is invalid, and a recipient with an empty variable fails alone; --skip-faulty ' +
        'leaves those lines out. A phone that is listed twice gets the message twice. A template that the provider ' +
        'has not approved is sent only after confirmation, or with --yes.',
    )
    .requiredOption('--csv <file>', 'the recipients; - reads standard input')
    .requiredOption('--template <name>', 'the template')
    .option('--language <code>', 'its language, such as en_US (default: the only one it has)')
    .option('--channel <id>', 'the channel to send from (default: the only one)')
    .option('--campaign <name>', 'a name for the broadcast')
    .option('--skip-faulty', 'skip lines with errors and send to the others')
    .option('--dry-run', 'check the file and the template, and send nothing')
    .option('--yes', 'send a template that is not approved without asking')
    .option('--watch', 'show the progress until it ends (parley broadcast watch)')
    .option('--json', 'print JSON')
    .action(send)
  withExamples(command, [
    "printf 'phone,1,2\\n+5215512345678,Ana,A-1001\\n' > people.csv",
    'parley broadcast send --csv people.csv --template order_update --language en_US --dry-run',
    'parley broadcast send --csv people.csv --template order_update --language en_US --watch',
    "parley broadcast send --csv - --template order_update --language en_US --campaign 'Autumn sale' --json \\",
    '  < people.csv | jq -r .broadcast_id',
  ])
}

async function send(options: Options): Promise<void> {
  const { json, watch } = options
  const bytes = await readFileOf(options.csv)
  const api = connectAsProject(options)
  const template = await templateFor(api, options)
  const sheet = readSheet(bytes, template)
  mustFit(sheet)
  if (!json) tellBefore(sheet, template)
  if (options.dryRun) return tellDryRun(sheet, template!, options)
  const { faults, empty } = sheet
  if (faults.length > 0 && !options.skipFaulty) throw refuseFaults(faults, options, '--skip-faulty leaves them out')
  const recipients = options.skipFaulty ? without(sheet.recipients, empty) : sheet.recipients
  if (recipients.length === 0) throw new CommandFailure('No line of the file is right: there is nobody to send to.')
  if (faults.length + empty.length > 0 && !json) {
    tellFaults([...faults, ...empty].sort((one, other) => one.line - other.line))
    if (options.skipFaulty) remark(`${linesIn([...faults, ...empty])} left out.`)
    else remark(`${linesIn(empty)} will fail alone; --skip-faulty leaves them out.`)
  }
  if (template && !options.yes) await mustBeApproved(template, recipients.length, options)

  const accepted = await post(api, { ...options, language: template?.language ?? options.language }, recipients)
  const { broadcast_id: id, total, warnings = [] } = accepted
  // With the template at hand they were printed before.
  if (!json && !template) for (const { message } of warnings) remark(printable(message))
  if (watch) {
    if (!json) remark(`${id} is queued for ${total}. Ctrl-C does not end it.`)
    const lines = recipients.map(({ line }) => line)
    return watchToEnd(api, id, options, lines)
  }
  if (json) printJson(accepted)
  else printLine(`${id} is queued for ${total}; \`parley broadcast watch ${id}\` shows its progress.`)
}

function without(recipients: Recipient[], empty: Fault[]): Recipient[] {
  const lines = new Set(empty.map(({ line }) => line))
  return recipients.filter(({ line }) => !lines.has(line))
}

async function post(api: Api, options: Options, recipients: Recipient[]): Promise<Accepted> {
  const body = {
    template_name: options.template,
    language: options.language,
    recipients: recipients.map(({ phone, variables }) => ({ phone, variables })),
    channel_id: options.channel,
    campaign_name: options.campaign,
  }
  try {
    return await submit(api, body)
  } catch (error) {
    const faults = faultsOf(error, recipients)
    throw faults ? refuseFaults(faults, options, 'the server refuses them') : error
  }
}

/** A token may have the right to send but not to read templates; then only the server checks the variables. */
async function templateFor(api: Api, options: Options): Promise<Template | undefined> {
  try {
    return await findTemplate(api, options)
  } catch (error) {
    if (!(error instanceof ApiRefusal && error.code === 'INSUFFICIENT_SCOPE')) throw error
    if (options.dryRun || !options.language) {
      const need = options.dryRun ? 'A dry run' : 'To find out its language'
      throw new CommandFailure(`${error.message} ${need} needs the templates.`)
    }
    remark('The token may not see templates (messages:read): their variables are not checked here.')
    return undefined
  }
}

function mustFit({ recipients, faults }: Sheet): void {
  if (recipients.length + faults.length === 0) throw new CommandFailure('The file has no line after the first.')
  if (recipients.length <= MAX) return
  throw new CommandFailure(
    `There are ${recipients.length} recipients; one broadcast has at most ${MAX}: split the file.`,
  )
}

function tellBefore({ ignored_columns, repeated }: Sheet, template: Template | undefined): void {
  if (ignored_columns.length > 0) remark(`Not used by the template: ${ignored_columns.map(printable).join(', ')}.`)
  if (repeated > 0) remark(`${repeated} lines repeat a phone: each is sent.`)
  if (template && !isApproved(template)) remark(unapproved(template))
}

const isApproved = ({ status }: Template) => status === 'APPROVED'

const unapproved = ({ name, status }: Template) =>
  `The template “${printable(name)}” is ${printable(status)}, not APPROVED: the provider will refuse every message.`

/**
 * @throws {CommandFailure} when the template is not approved and the user does not confirm to send it
 */
async function mustBeApproved(template: Template, count: number, { csv, json }: Options): Promise<void> {
  if (isApproved(template)) return
  // Without --json it was printed before the lines of the file.
  if (json) remark(unapproved(template))
  const question = `Send it to ${count === 1 ? '1 recipient' : `${count} recipients`} all the same?`
  await mustAgree({ question, refusal: 'Nothing is sent', file: csv })
}

function tellDryRun({ recipients, ...sheet }: Sheet, template: Template, { json }: Options): void {
  const { faults, empty } = sheet
  if (json) {
    const { name, language, channel_id, status, variables } = template
    const facts = { name, language, channel_id, status, variables }
    printJson({ ok: faults.length === 0, recipients: recipients.length, template: facts, ...sheet })
  } else {
    if (faults.length + empty.length > 0) tellFaults([...faults, ...empty].sort((one, other) => one.line - other.line))
    const alone = empty.length > 0 ? `${linesIn(empty)} will fail alone` : 'no faults'
    if (faults.length === 0) printLine(`${recipients.length} recipients, ${alone}; nothing is sent.`)
  }
  if (faults.length > 0) {
    throw new CommandFailure(`${linesIn(faults)} must be corrected, ${recipients.length} are right; nothing is sent.`)
  }
}

function refuseFaults(faults: Fault[], { json }: Options, advice: string): CommandFailure {
  if (json) printJson({ ok: false, faults })
  else tellFaults(faults)
  return new CommandFailure(`Nothing is sent, as ${linesIn(faults)} of the file must be corrected: ${advice}.`)
}

function linesIn(faults: Fault[]): string {
  const lines = new Set(faults.map(({ line }) => line)).size
  return lines === 1 ? '1 line' : `${lines} lines`
}
