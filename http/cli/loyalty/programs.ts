import { type Command, InvalidArgumentError, Option } from 'commander'
import type { OperatorProgram } from '../records/generated.ts'
import { addResource, gather, type Json, type Options, optionFields, type Resource } from '../records/resource.ts'

type Tier = OperatorProgram['tiers'][number]

function parseTier(text: string): Tier | 'none' {
  if (text === 'none') return 'none'
  const at = text.lastIndexOf('=')
  const threshold = text.slice(at + 1).trim()
  if (at < 1 || !/^\d{1,10}$/.test(threshold)) {
    throw new InvalidArgumentError('Use name=points, such as Gold=500, or none.')
  }
  return { name: text.slice(0, at).trim(), threshold: Number(threshold) }
}

function parseDays(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of days; 0 is for points that do not expire.')
}

type FieldOptions = Options & { tier?: (Tier | 'none')[]; expireAfter?: number; active?: boolean }

function body({ tier, expireAfter, ...options }: FieldOptions): Json {
  return {
    ...optionFields(options, { name: 'name', type: 'type' }),
    ...(options.active !== undefined && { is_active: options.active }),
    ...(expireAfter !== undefined && { rules: { points: { expiration_days: expireAfter } } }),
    ...(tier && { tiers: tier.filter((one) => one !== 'none') }),
  }
}

const fields = (command: Command) =>
  command
    .option('--expire-after <days>', 'days from the enrolment to the expiry of points, or 0 for none', parseDays)
    .option('--tier <name=points>', 'a level and the points it takes, or none; several times', gather(parseTier))

const programs: Resource<OperatorProgram> = {
  name: 'programs',
  words: 'loyalty programs',
  one: 'a loyalty program',
  many: 'loyalty programs',
  owner: 'project',
  headings: ['id', 'type', 'state', 'expiry', 'levels', 'name'],
  row: ({ _id, type, is_active, rules, tiers, name }) => {
    return [_id, type, stateOf(is_active), expiryOf(rules), tiers.map(({ name }) => name).join(', '), name]
  },
  flexible: 5,
  lines: ({ _id, name, type, is_active, rules, tiers, project_id, created_at }) => [
    ['program', _id],
    ['name', name],
    ['type', type],
    ['state', stateOf(is_active)],
    ['expiry', expiryOf(rules)],
    ['levels', tiers.map(({ name, threshold }) => `${name} from ${threshold}`).join(', ') || 'none'],
    ['project', project_id],
    ['made', created_at],
  ],
  filter: {
    add: (command) =>
      command
        .addOption(new Option('--type <type>', 'only those of this type').choices(['points', 'stamps']))
        .option('--active', 'only those that are active')
        .option('--no-active', 'only those that are switched off'),
    query: (options: FieldOptions) => ({
      ...optionFields(options, { type: 'type' }),
      is_active: options.active?.toString(),
    }),
  },
  create: {
    description: 'Creates a loyalty program of points or of stamps.',
    add: (command) =>
      fields(
        command
          .requiredOption('--name <name>', 'its name')
          .addOption(
            new Option('--type <type>', 'what members collect').choices(['points', 'stamps']).makeOptionMandatory(),
          ),
      ),
    body,
    examples: [
      'parley loyalty programs create --name Club --type points --expire-after 365 --tier Silver=100 --tier Gold=500',
      'parley loyalty programs create --name "Ten coffees" --type stamps',
    ],
  },
  update: {
    description:
      'Changes a loyalty program. Members get their level of new tiers with their next movement; a new expiry holds at once, except for points that have expired.',
    add: (command) =>
      fields(
        command
          .option('--name <name>', 'its new name')
          .option('--active', 'switch it on')
          .option('--no-active', 'switch it off: nobody enrols or earns any more'),
      ),
    body,
    examples: ['parley loyalty programs update 66f2a0c1d4e5f60718293a4b --no-active'],
  },
  deletion: 'A program with members cannot be deleted: switch it off.',
  examples: {
    list: ['parley loyalty programs list', "parley loyalty programs list --json | jq -r '.[].name'"],
    show: ['parley loyalty programs show 66f2a0c1d4e5f60718293a4b'],
    delete: ['parley loyalty programs delete 66f2a0c1d4e5f60718293a4b --yes'],
  },
}

const stateOf = (is_active: boolean) => (is_active ? 'active' : 'off')

function expiryOf({ points: { expiration_days } }: OperatorProgram['rules']): string {
  if (expiration_days === 0) return 'never'
  return expiration_days === 1 ? '1 day' : `${expiration_days} days`
}

export function addProgramCommands(loyalty: Command): void {
  addResource(loyalty, programs, 'the loyalty programs of a project', 'Manages the loyalty programs of a project.')
}
