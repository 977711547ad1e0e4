import type { Command } from 'commander'
import { parseList } from '../options/list.ts'
import type { OperatorCustomer } from '../records/generated.ts'
import { addResource, gather, type Json, type Options, optionFields, type Resource } from '../records/resource.ts'
import { addImportCommand } from './customer_import.ts'
import { cleared, parsePair } from './spelling.ts'

function body({ set, ...options }: Options & { set?: Json[] }): Json {
  return {
    ...optionFields(options, { name: 'full_name', tags: 'tags' }),
    ...cleared(optionFields(options, { email: 'email', phone: 'phone', externalId: 'external_id' }), 'none', null),
    ...(set && { custom_fields: Object.assign({}, ...set) }),
  }
}

const fields = (command: Command) =>
  command
    .option('--email <address>', 'their e-mail address, or none')
    .option('--phone <number>', 'their phone number, such as +5215512345678, or none')
    .option('--external-id <id>', 'their id in the system of the company, or none')
    .option('--tags <list>', 'tags separated by commas, or none', (text) => (text === 'none' ? [] : parseList(text)))
    .option('--set <key=value>', 'a custom field; several times; together they replace all', gather(parsePair))

const customers: Resource<OperatorCustomer> = {
  name: 'customers',
  one: 'a customer',
  many: 'customers',
  owner: 'company',
  headings: ['id', 'phone', 'e-mail', 'name'],
  row: ({ _id, phone, email, full_name }) => [_id, phone ?? '', email ?? '', full_name],
  flexible: 3,
  lines: ({ _id, full_name, email, phone, external_id, tags, custom_fields, chat_users, company_id, created_at }) => [
    ['customer', _id],
    ['name', full_name],
    ['e-mail', email ?? 'none'],
    ['phone', phone ?? 'none'],
    ['external id', external_id ?? 'none'],
    ['tags', tags.join(', ') || 'none'],
    ['contacts', chat_users.join(', ') || 'none'],
    ['company', company_id],
    ['made', created_at],
    ...Object.entries(custom_fields).map(([key, value]): [string, string] => [key, JSON.stringify(value)]),
  ],
  filter: {
    add: (command) =>
      command
        .option('--search <text>', 'only those whose name or e-mail address contains it')
        .option('--phone <number>', 'only those with this phone number')
        .option('--external-id <id>', 'the one with this id in the system of the company'),
    query: (options) => optionFields(options, { search: 'search', phone: 'phone', externalId: 'external_id' }),
  },
  create: {
    description: 'Creates a customer of a company.',
    add: (command) => fields(command.requiredOption('--name <name>', 'their full name')),
    body,
    examples: ['parley customers create --name "Ana Díaz" --phone +5215512345678 --tags vip --set plan=gold'],
  },
  update: {
    description: 'Changes a customer. Given tags and custom fields replace the existing ones.',
    add: (command) => fields(command.option('--name <name>', 'their full name')),
    body,
    examples: ['parley customers update 66f2a0c1d4e5f60718293a4b --email ana@example.com --tags none'],
  },
  deletion: 'A customer with linked contacts cannot be deleted: unlink them with PATCH /v1/contacts/{id}.',
  examples: {
    list: ['parley customers list --search ana', 'parley customers list --phone +5215512345678 --json | jq length'],
    show: ['parley customers show 66f2a0c1d4e5f60718293a4b'],
    delete: ['parley customers delete 66f2a0c1d4e5f60718293a4b --yes'],
  },
}

export function addCustomerCommands(program: Command): void {
  const description = 'Manages the customers of a company.'
  const group = addResource(program, customers, 'the customers of a company', description)
  addImportCommand(group, customers)
}
