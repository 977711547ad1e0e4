import { type Command, Option } from 'commander'
import { parseList } from '../options/list.ts'
import type { CustomField } from '../records/generated.ts'
import { addResource, type Options, optionFields, type Resource } from '../records/resource.ts'
import { cleared } from './spelling.ts'

const owners = ['contact', 'ticket', 'customer']
const types = ['string', 'number', 'boolean', 'date', 'string[]']

const options = (command: Command) =>
  command.option('--options <list>', 'the allowed values, separated by commas; any removes the restriction', (text) =>
    text === 'any' ? text : parseList(text),
  )

const choices = (options: Options) => cleared(optionFields(options, { options: 'options' }), 'any', null)

const customFields: Resource<CustomField> = {
  name: 'custom-fields',
  one: 'a custom field',
  many: 'custom fields',
  owner: 'company',
  searched: 'name or key',
  headings: ['id', 'of', 'key', 'type', 'options', 'name'],
  row: ({ _id, owner, key, name, type, options }) => [_id, owner, key, type, options?.join(', ') ?? '', name],
  flexible: 4,
  lines: ({ _id, owner, key, name, type, options, company_id, created_at }) => [
    ['custom field', _id],
    ['of', owner],
    ['key', key],
    ['name', name],
    ['type', type],
    ['options', options?.join(', ') ?? 'any'],
    ['company', company_id],
    ['made', created_at],
  ],
  filter: {
    add: (command) => command.addOption(new Option('--of <record>', 'only those of this kind').choices(owners)),
    query: ({ of }: Options) => ({ owner: of }),
  },
  create: {
    description:
      'Defines a custom field of contacts, tickets or customers. Once a company has defined one for a kind of record, ' +
      'no other can be set there.',
    add: (command) =>
      options(
        command
          .addOption(
            new Option('--of <record>', 'record type that has the field').choices(owners).makeOptionMandatory(),
          )
          .requiredOption('--key <key>', 'its name in custom_fields; cannot be changed')
          .requiredOption('--name <name>', 'its name for people')
          .addOption(
            new Option('--type <type>', 'type of its values; cannot be changed').choices(types).default('string'),
          ),
      ),
    body: (options) => ({
      ...optionFields(options, { of: 'owner', key: 'key', name: 'name', type: 'type' }),
      ...choices(options),
    }),
    examples: [
      'parley custom-fields create --of ticket --key size --name Size --options S,M,L',
      'parley custom-fields create --of contact --key since --name "Customer since" --type date',
    ],
  },
  update: {
    description: 'Changes the name or the options of a custom field. Values that are stored stay as they are.',
    add: (command) => options(command.option('--name <name>', 'its name for people')),
    body: (options) => ({ ...optionFields(options, { name: 'name' }), ...choices(options) }),
    examples: ['parley custom-fields update 66f2a0c1d4e5f60718293a4b --options any'],
  },
  deletion: 'Stored values stay. A field that an event type or a rule of a stage names cannot be deleted.',
  examples: {
    list: ['parley custom-fields list', 'parley custom-fields list --of ticket'],
    show: ['parley custom-fields show 66f2a0c1d4e5f60718293a4b'],
    delete: ['parley custom-fields delete 66f2a0c1d4e5f60718293a4b --yes'],
  },
}

export function addCustomFieldCommands(program: Command): void {
  const description = 'Manages the custom fields of a company for contacts, tickets and customers.'
  addResource(program, customFields, 'custom fields of contacts, tickets and customers', description)
}
