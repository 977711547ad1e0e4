import { type Command, Option } from 'commander'
import { connectAsOperator, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { parseMoment } from '../options/time_option.ts'
import type { OperatorMembership } from '../records/generated.ts'
import { addResource, type Json, type Options, optionFields, type Resource, recordPath } from '../records/resource.ts'
import { mustAgree, withYes } from '../terminal/confirm.ts'
import { printJson, printLine } from '../terminal/terminal.ts'

const STATUSES = ['active', 'suspended', 'revoked']

const statusOption = (description: string) => new Option('--status <status>', description).choices(STATUSES)

const body = (options: Options): Json =>
  optionFields(options, {
    program: 'program_id',
    customer: 'customer_id',
    serial: 'serial_number',
    status: 'status',
    enrolledAt: 'enrolled_at',
  })

const memberships: Resource<OperatorMembership> = {
  name: 'memberships',
  words: 'loyalty memberships',
  one: 'a membership',
  many: 'memberships',
  owner: 'project',
  headings: ['id', 'status', 'points', 'stamps', 'tier', 'customer', 'serial number'],
  row: ({ _id, status, balance_points, stamps_count, tier, customer_id, serial_number }) => {
    return [_id, status, String(balance_points), String(stamps_count), tier, customer_id, serial_number]
  },
  flexible: 6,
  lines: (member) => [
    ['membership', member._id],
    ['serial number', member.serial_number],
    ['status', member.status],
    ['points', String(member.balance_points)],
    ['stamps', String(member.stamps_count)],
    ['tier', member.tier || 'none'],
    ['movements', String(member.entry_count)],
    ['enrolled', member.enrolled_at],
    ['expires', member.expires_at ?? (member.expired_at ? `expired ${member.expired_at}` : 'never')],
    ['program', member.program_id],
    ['customer', member.customer_id],
    ['project', member.project_id],
  ],
  filter: {
    add: (command) =>
      command
        .option('--program <id>', 'only those of this program')
        .option('--customer <id>', 'only those of this customer')
        .option('--serial <number>', 'only the one with this serial number')
        .addOption(statusOption('only those with this label')),
    query: (options) =>
      optionFields(options, {
        program: 'program_id',
        customer: 'customer_id',
        serial: 'serial_number',
        status: 'status',
      }),
  },
  create: {
    description: 'Enrols a customer in a loyalty program.',
    is_owned: false,
    add: (command) =>
      command
        .requiredOption('--program <id>', 'the program (parley loyalty programs list)')
        .requiredOption('--customer <id>', 'the customer (parley customers list)')
        .option('--serial <number>', 'the serial number of the card (default: a new one)')
        .addOption(statusOption('its label (default: active)'))
        .option(
          '--enrolled-at <time>',
          'when the customer enrolled: 30d ago, a day or a time (default: now)',
          parseMoment,
        ),
    body,
    examples: [
      'parley loyalty memberships create --program 66f2a0c1d4e5f60718293a4b --customer 66f2a0c1d4e5f60718293a4c',
    ],
  },
  update: {
    description: 'Changes the label or the serial number of a membership. Movements are accepted whatever the label.',
    add: (command) =>
      command
        .addOption(statusOption('its new label'))
        .option('--serial <number>', 'its new serial number, such as that of a new card'),
    body,
    examples: ['parley loyalty memberships update 66f2a0c1d4e5f60718293a4b --status suspended'],
  },
  examples: {
    list: [
      'parley loyalty memberships list --program 66f2a0c1d4e5f60718293a4b',
      'parley loyalty memberships list --serial 4000123412341234 --json | jq .[0].balance_points',
    ],
    show: ['parley loyalty memberships show 66f2a0c1d4e5f60718293a4b'],
  },
}

type DeleteOptions = Options & { withLedger?: boolean; yes?: boolean }

export function addMembershipCommands(loyalty: Command): void {
  const description = 'Manages the members of loyalty programs.'
  const group = addResource(loyalty, memberships, 'the members of loyalty programs', description)
  const remove = withYes(withOperatorOptions(group.command('delete')))
    .summary('delete a membership')
    .description(
      'Deletes a membership without movements, after a question. Movements are erased with it only on demand.',
    )
    .argument('<id>', 'its id (parley loyalty memberships list)')
    .option('--with-ledger', 'also erase its movements')
    .option('--json', 'print JSON')
    .action(deleteMembership)
  withExamples(remove, [
    'parley loyalty memberships delete 66f2a0c1d4e5f60718293a4b --yes',
    'parley loyalty memberships delete 66f2a0c1d4e5f60718293a4b --with-ledger --yes',
  ])
}

async function deleteMembership(id: string, { withLedger = false, yes = false, ...options }: DeleteOptions) {
  const { api } = connectAsOperator(options)
  const path = recordPath(memberships, id)
  if (!yes) {
    const { entry_count, serial_number } = await api.call<OperatorMembership>('GET', path)
    const what = withLedger ? ` with its ${entry_count} movements, for good` : ''
    const question = `Delete the membership ${serial_number} (${id})${what}?`
    await mustAgree({ question, refusal: 'Nothing is deleted' })
  }
  await api.call('DELETE', `${path}?with_ledger=${withLedger}`)
  if (options.json) printJson({ deleted: id })
  else printLine(`Deleted ${id}.`)
}
