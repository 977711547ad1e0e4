/** `parley users`: the people of a company, and their invitations to the console. */

import { type Command, InvalidArgumentError } from 'commander'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { shortTime } from '../options/time_option.ts'
import type { Invitation, User } from '../records/generated.ts'
import { addResource, type Json, type Options, type Resource, recordPath } from '../records/resource.ts'
import { printable, printJson, printLine, remark } from '../terminal/terminal.ts'

const AGENT = 'console.agent'

function parsePermissions(text: string): string[] {
  const list = text.split(',').map((one) => one.trim())
  if (list.every((one) => /^[a-z_]+(\.[a-z_]+)+$/.test(one))) return list
  if (text === 'none') return []
  throw new InvalidArgumentError('They are separated by commas, such as console.agent, or `none`.')
}

type FieldOptions = Options & {
  name?: string
  email?: string
  permissions?: string[]
  activate?: boolean
  deactivate?: boolean
}

const body = ({ name, email, permissions, activate, deactivate }: FieldOptions): Json => ({
  ...(name !== undefined && { full_name: name }),
  ...(email !== undefined && { email }),
  ...(permissions !== undefined && { permissions }),
  ...(activate && { is_active: true }),
  ...(deactivate && { is_active: false }),
})

const users: Resource<User> = {
  name: 'users',
  one: 'a user',
  many: 'users',
  owner: 'company',
  lists_all: true,
  headings: ['id', 'state', 'password', 'permissions', 'e-mail', 'name'],
  row: ({ _id, is_active, has_password, permissions, email, full_name }) => [
    _id,
    is_active ? 'active' : 'deactivated',
    has_password ? 'yes' : 'no',
    permissions.join(', ') || 'none',
    email,
    full_name,
  ],
  flexible: 3,
  lines: ({ _id, full_name, email, company_id, is_active, has_password, permissions, created_at }) => [
    ['user', _id],
    ['name', full_name],
    ['e-mail', email],
    ['company', company_id],
    ['state', is_active ? 'active' : 'deactivated'],
    ['password', has_password ? 'yes' : 'no: parley users invite lets the user set one'],
    ['permissions', permissions.join(', ') || 'none'],
    ['made', created_at],
  ],
  create: {
    description: 'Creates a user of a company, without a password. `parley users invite` lets the user set one.',
    add: (command) =>
      command
        .requiredOption('--name <name>', 'full name')
        .requiredOption('--email <address>', 'e-mail address, with which the user signs in')
        .option(
          '--permissions <list>',
          `separated by commas: ${AGENT}, console.operator, developer.manage_tokens, developer.manage_webhooks`,
          parsePermissions,
        ),
    body,
    examples: [
      'parley users create --company 66f2a0c1d4e5f60718293a4b --name "Ana Ruiz" --email ana@example.com --permissions console.agent',
    ],
  },
  update: {
    description:
      'Changes a user. The tokens and sessions of a deactivated user stop working at once; a new address ends an invitation.',
    add: (command) =>
      command
        .option('--name <name>', 'full name')
        .option('--email <address>', 'e-mail address')
        .option('--permissions <list>', 'separated by commas, or none', parsePermissions)
        .option('--activate', 'lets a deactivated user work again')
        .option('--deactivate', 'ends everything that the user holds'),
    body,
    examples: [
      'parley users update 66f2a0c1d4e5f60718293a4b --deactivate',
      'parley users update 66f2a0c1d4e5f60718293a4b --permissions console.agent,developer.manage_webhooks',
    ],
  },
  deletion: 'A user with a live token or an open ticket cannot be deleted: deactivate the user.',
  examples: {
    list: ['parley users list', "parley users list --json | jq -r '.[] | select(.has_password | not).email'"],
    show: ['parley users show 66f2a0c1d4e5f60718293a4b'],
    delete: ['parley users delete 66f2a0c1d4e5f60718293a4b --yes'],
  },
}

export function addUserCommands(program: Command): void {
  const description = 'Manages the people of a company, who sign in to the console and hold access tokens.'
  const group = addResource(program, users, 'the people of a company, and their invitations', description)
  const invite = withOperatorOptions(group.command('invite'))
    .summary('invite a user to the console')
    .description(
      'Sends a user without a password an e-mail with a link. There the user chooses a password and is signed in. The ' +
        'link works once and for 72 hours; another invitation ends it. Without a mail server (PARLEY_SMTP_URL) the ' +
        'command prints the link: hand it over yourself.',
    )
    .argument('<id>', 'its id (parley users list)')
    .option('--json', 'print JSON')
    .action(inviteUser)
  withExamples(invite, ['parley users invite 66f2a0c1d4e5f60718293a4b'])
}

async function inviteUser(id: string, options: OperatorOptions & { json?: boolean }): Promise<void> {
  const invited: Invitation = await connectAsOperator(options).api.call('POST', `${recordPath(users, id)}/invite`)
  if (options.json) return printJson(invited)
  const until = `It works once, until ${shortTime(invited.expires_at)} (UTC).`
  if (invited.is_mailed) return printLine(`A link goes to ${printable(invited.email)}. ${until}`)
  printLine(invited.url!)
  remark(
    `This installation has no mail server (PARLEY_SMTP_URL): give this link to ${printable(invited.email)} yourself. ${until}`,
  )
}
