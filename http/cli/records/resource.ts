/** Records that operators manage for a company or a project: the same commands for each kind. */
import type { Command } from 'commander'
import type { Demo } from '../../app/demo/demo_file.ts'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { mustAgree, withYes } from '../terminal/confirm.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { fields, printable, printJson, printLine, remark, table } from '../terminal/terminal.ts'

/** A body, or a part of one. */
export type Json = Record<string, unknown>

/** Commands add their own to these. */
export type Options = OperatorOptions & {
  project?: string
  company?: string
  json?: boolean
  yes?: boolean
  search?: string
} & Json

/** `Row`: the record as the API answers it. */
export type Resource<Row = unknown> = {
  /** The name of the command and of the path. */
  name: string
  /** The words that lead to the command, where it is below another one. Default: the name. */
  words?: string
  /** With its article: `a tag`. */
  one: string
  many: string
  owner: 'project' | 'company'
  /** Without an owner, `list` lists the records of all owners. */
  lists_all?: true
  /** Columns that identify a record in lists. */
  headings: string[]
  row(record: Row): string[]
  /** The column that is shortened on a narrow terminal. */
  flexible: number
  lines(record: Row): [string, string][]
  /** The fields that `list --search` looks in, in words. Without them there is no such option. */
  searched?: string
  /** Options of `list` beyond the owner, and their query. */
  filter?: { add(command: Command): Command; query(options: Options): Json }
  /** Without it there is no command `create`. */
  create?: Creation<Row>
  update: Writing<Row>
  /** The order of a list. Default: newest first. */
  order?: string
  /** Conditions and effects of a deletion. Without it there is no command `delete`. */
  deletion?: string
  examples: { list: string[]; show: string[]; delete?: string[] }
}

/** Fields that are written, and their options. Omitted options write nothing. */
export type Writing<Row> = {
  description: string
  add(command: Command): Command
  /** `present` reads the record that is changed. */
  body(options: Options, present?: () => Promise<Row>): Promise<Json> | Json
  examples: string[]
}

/** A new record may belong to its owner by another one that the body names. */
type Creation<Row> = Writing<Row> & { is_owned?: false }

/** Adds `parley <name>` with list, show, update and, where the resource has them, create and delete. */
export function addResource<Row>(
  program: Command,
  resource: Resource<Row>,
  summary: string,
  description: string,
): Command {
  const { name, words = name, one, many } = resource
  const group = program.command(name).summary(summary).description(description)
  const listing = withOperatorOptions(group.command('list'))
  const list = (resource.lists_all ? withOwnerFilter : withOwner)(listing, resource)
    .summary(`list ${many}`)
    .description(`Lists ${many}, ${resource.order ?? 'newest first'}.`)
  if (resource.searched) list.option('--search <text>', `only those whose ${resource.searched} contains it`)
  if (resource.filter) resource.filter.add(list)
  list.option('--json', 'print JSON').action((options: Options) => listRecords(resource, options))
  withExamples(list, resource.examples.list)

  if (resource.create) addCreate(group, resource, resource.create)

  const single = (verb: string) =>
    withOperatorOptions(group.command(verb)).argument('<id>', `its id (parley ${words} list)`)
  const show = single('show').summary(`show ${one}`).description(`Shows ${one}.`)
  show.option('--json', 'print JSON').action((id: string, options: Options) => showRecord(resource, id, options))
  withExamples(show, resource.examples.show)

  const update = single('update').summary(`change ${one}`).description(resource.update.description)
  resource.update.add(update)
  update.option('--json', 'print JSON').action((id: string, options: Options) => updateRecord(resource, id, options))
  withExamples(update, resource.update.examples)

  if (resource.deletion === undefined) return group
  const remove = withYes(single('delete')).summary(`delete ${one}`)
  remove.description(`Deletes ${one}, after a question. ${resource.deletion}`)
  remove.option('--json', 'print JSON').action((id: string, options: Options) => deleteRecord(resource, id, options))
  withExamples(remove, resource.examples.delete ?? [])
  return group
}

function addCreate<Row>(group: Command, resource: Resource<Row>, creation: Creation<Row>): void {
  const named = withOperatorOptions(group.command('create'))
  const create = (creation.is_owned === false ? named : withOwner(named, resource))
    .summary(`make ${resource.one}`)
    .description(creation.description)
  creation.add(create)
  create.option('--json', 'print JSON').action((options: Options) => createRecord(resource, creation, options))
  withExamples(create, creation.examples)
}

function withOwnerFilter(command: Command, { owner }: Pick<Resource, 'owner'>): Command {
  return command.option(`--${owner} <id>`, `only those of this ${owner}`)
}

export function withOwner(command: Command, { owner, many }: Pick<Resource, 'owner' | 'many'>): Command {
  return command.option(
    `--${owner} <id>`,
    `the ${owner} that has the ${many} (default: the demo’s; required elsewhere)`,
  )
}

/** `project_id`, or `company_id`. */
export type Owner = Record<string, string>

/**
 * @throws {CommandFailure} when it is neither given nor in a demo
 */
export function ownerOf({ owner }: Pick<Resource, 'owner'>, options: Options, demo: Demo | undefined): Owner {
  const id = options[owner] ?? demo?.[`${owner}_id`]
  if (id) return { [`${owner}_id`]: id }
  throw new CommandFailure(`--${owner} is missing: the id of the ${owner} (parley projects list).`, 2)
}

export function recordPath({ name }: Pick<Resource, 'name'>, id: string): string {
  return `/admin/v1/${name}/${encodeURIComponent(id)}`
}

async function listRecords<Row>(resource: Resource<Row>, options: Options): Promise<void> {
  const { api, demo } = connectAsOperator(options)
  const { owner, lists_all } = resource
  const owned = lists_all ? { [`${owner}_id`]: options[owner] } : ownerOf(resource, options, demo)
  const filter = { ...(resource.searched && { search: options.search }), ...resource.filter?.query(options) }
  const records = await api.all<Row>(`/admin/v1/${resource.name}`, { ...owned, ...filter })
  if (options.json) return printJson(records)
  const filtered = Object.values({ ...(lists_all && owned), ...filter }).some((value) => value !== undefined)
  if (records.length === 0) return remark(`There are no ${filtered ? 'such ' : ''}${resource.many}.`)
  process.stdout.write(
    table(
      resource.headings,
      records.map((record) => resource.row(record)),
      resource.flexible,
    ),
  )
}

async function createRecord<Row>(resource: Resource<Row>, creation: Creation<Row>, options: Options): Promise<void> {
  const { api, demo } = connectAsOperator(options)
  const owner = creation.is_owned === false ? {} : ownerOf(resource, options, demo)
  const body = { ...owner, ...(await creation.body(options)) }
  tell(resource, options, await api.call('POST', `/admin/v1/${resource.name}`, body))
}

async function showRecord<Row>(resource: Resource<Row>, id: string, options: Options): Promise<void> {
  tell(resource, options, await connectAsOperator(options).api.call('GET', recordPath(resource, id)))
}

async function updateRecord<Row>(resource: Resource<Row>, id: string, options: Options): Promise<void> {
  const path = recordPath(resource, id)
  const body = await resource.update.body(options, () => connectAsOperator(options).api.call('GET', path))
  if (Object.keys(body).length === 0) {
    throw new CommandFailure(
      `Say what to change: parley ${resource.words ?? resource.name} update --help lists what there is.`,
      2,
    )
  }
  tell(resource, options, await connectAsOperator(options).api.call('PATCH', path, body))
}

async function deleteRecord(resource: Resource, id: string, options: Options): Promise<void> {
  const { api } = connectAsOperator(options)
  const path = recordPath(resource, id)
  if (!options.yes) {
    const { name, full_name, key, shortcut = '' } = await api.call<Named>('GET', path)
    const question = `Delete ${resource.one.replace(/^an? /, 'the ')} ${quoted(name ?? full_name ?? key ?? shortcut)} (${id})?`
    await mustAgree({ question, refusal: 'Nothing is deleted' })
  }
  await api.call('DELETE', path)
  if (options.json) printJson({ deleted: id })
  else printLine(`Deleted ${id}.`)
}

/** Records have one of these. */
type Named = { name?: string; full_name?: string; key?: string; shortcut?: string }

/** A name in a question. */
function quoted(name: string): string {
  return `“${printable(name)}”`
}

/** Prints a record. */
export function tell<Row>(resource: Pick<Resource<Row>, 'lines'>, { json }: Options, record: Row): void {
  if (json) printJson(record)
  else printLine(fields(resource.lines(record)))
}

/** The given options, under their names in the API. */
export function optionFields(options: Options, names: Record<string, string>): Json {
  const pairs = Object.entries(names).map(([option, field]) => [field, options[option]] as const)
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined))
}

/** An option that may be given several times. */
export function gather<Value>(parse: (text: string) => Value) {
  return (text: string, before: Value[] = []): Value[] => [...before, parse(text)]
}
