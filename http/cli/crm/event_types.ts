import type { Command } from 'commander'
import type { EventType } from '../records/generated.ts'
import { addResource, gather, type Options, optionFields, type Resource } from '../records/resource.ts'
import { parseField } from './spelling.ts'

const SPELLING = 'key:type, then ;required and ;target=ticket.<field> or contact.<field>; several times'

const field = (command: Command, what: string) =>
  command.option('--field <field>', `${what}: ${SPELLING}`, gather(parseField))

const spell = ({ key, type, required, target }: EventType['fields'][number]) =>
  [`${key}:${type}`, ...(required ? ['required'] : []), ...(target ? [`target=${target}`] : [])].join(';')

const eventTypes: Resource<EventType> = {
  name: 'event-types',
  one: 'an event type',
  many: 'event types',
  owner: 'company',
  searched: 'name or key',
  headings: ['id', 'key', 'fields', 'name'],
  row: ({ _id, key, name, fields }) => [_id, key, fields.map((field) => field.key).join(', '), name],
  flexible: 2,
  lines: ({ _id, key, name, is_system, fields, company_id, created_at }) => [
    ['event type', _id],
    ['key', key],
    ['name', name],
    ['of the system', is_system ? 'yes' : 'no'],
    ['company', company_id],
    ['made', created_at],
    ...fields.map((field, index): [string, string] => [index === 0 ? 'fields' : '', spell(field)]),
  ],
  create: {
    description:
      'Creates an event type that clients may record (POST /v1/crm/events). A key without a dot gets the prefix ' +
      'custom.',
    add: (command) =>
      field(
        command
          .requiredOption('--key <key>', 'its event_type in requests; cannot be changed')
          .requiredOption('--name <name>', 'its name for people'),
        'a field of its data',
      ),
    body: (options: Options) => optionFields(options, { key: 'key', name: 'name', field: 'fields' }),
    examples: [
      'parley event-types create --key order_packed --name "Order packed" \\',
      '  --field "total:number;required;target=ticket.amount" --field "carrier:string"',
    ],
  },
  update: {
    description: 'Changes the name or the fields of an event type, those of the system included.',
    add: (command) =>
      field(
        command.option('--name <name>', 'its name for people'),
        'a field; the given fields replace all existing ones',
      ).option('--no-fields', 'remove all fields'),
    body: (options: Options) => ({
      ...(options.fields === false && { fields: [] }),
      ...optionFields(options, { name: 'name', field: 'fields' }),
    }),
    examples: ['parley event-types update 66f2a0c1d4e5f60718293a4b --field "carrier:string;target=ticket.carrier"'],
  },
  deletion: 'Events that were recorded stay. Event types of the system cannot be deleted.',
  examples: {
    list: ['parley event-types list', "parley event-types list --json | jq -r '.[].key'"],
    show: ['parley event-types show 66f2a0c1d4e5f60718293a4b'],
    delete: ['parley event-types delete 66f2a0c1d4e5f60718293a4b --yes'],
  },
}

export function addEventTypeCommands(program: Command): void {
  const description = 'Manages the event types of a company for the timelines of its tickets.'
  addResource(program, eventTypes, 'kinds of events on the timelines of tickets', description)
}
