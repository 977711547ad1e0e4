/**
 * Ids that completion offers, of records that exist. Arguments name the command that lists their records in their
 * description, as `(parley webhooks list)`; options have the name of the record.
 */
import { type Argument, type Command, Option } from 'commander'
import {
  connectAsOperator,
  connectAsProject,
  type OperatorOptions,
  type TokenOptions,
} from '../connection/connection.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { printable } from '../terminal/terminal.ts'

/** Requests for records, by the command that lists them. */
export const LISTED: Record<string, string> = {
  'projects list': '/admin/v1/projects?limit=50',
  companies: '/admin/v1/companies?limit=50',
  'users list': '/admin/v1/users?limit=50',
  'channels list': '/admin/v1/channels?limit=50',
  'cluster status': '/admin/v1/cluster',
  'dead-letters list': '/admin/v1/dead-letters?limit=50',
  'token list': '/admin/v1/tokens?limit=50',
  'audit list': '/admin/v1/audit?limit=50',
  'operator-keys list': '/admin/v1/operator-keys?limit=50',
  'webhooks list': '/v1/webhooks',
  'broadcast list': '/v1/messages/bulk?limit=50',
  'tools list': '/v1/agents/tools?limit=50',
  'pipelines list': '/admin/v1/pipelines?limit=50',
  'tags list': '/admin/v1/tags?limit=50',
  'event-types list': '/admin/v1/event-types?limit=50',
  'custom-fields list': '/admin/v1/custom-fields?limit=50',
  'customers list': '/admin/v1/customers?limit=50',
  'contacts list': '/v1/contacts?limit=50',
  'canned-responses list': '/admin/v1/canned-responses?limit=50',
  'assistants list': '/admin/v1/assistants?limit=50',
  'blocks list': '/admin/v1/blocks?limit=50',
  'appointments list': '/admin/v1/appointments?limit=50',
  'loyalty programs list': '/admin/v1/programs?limit=50',
  'loyalty memberships list': '/admin/v1/memberships?limit=50',
}

const OPTIONS: Record<string, string> = {
  '--project': 'projects list',
  '--company': 'companies',
  '--user': 'users list',
  '--assignee': 'users list',
  '--channel': 'channels list',
  '--program': 'loyalty programs list',
  '--customer': 'customers list',
}

/** A shell waits for the answer. */
const PATIENCE_MS = 2_000

/** The list whose ids an argument or an option takes; undefined where there is none. */
export function listOf(parameter: Option | Argument): string | undefined {
  if (parameter instanceof Option) return /<id>$/.test(parameter.flags) ? OPTIONS[parameter.long ?? ''] : undefined
  const [, command = ''] = /\(parley ([a-z -]+)\)/.exec(parameter.description) ?? []
  return command in LISTED ? command : undefined
}

/** `parley complete`, which the scripts call and help does not show. It prints nothing where it cannot know. */
export function addCompleteCommand(program: Command): void {
  program
    .command('complete', { hidden: true })
    .argument('<list>')
    .action(async (list: string) => {
      const path = LISTED[list]
      if (path === undefined) return
      for (const [id, about] of await entries(path)) process.stdout.write(`${id}\t${about}\n`)
    })
}

type Entry = Record<string, unknown>

async function entries(path: string): Promise<[id: string, about: string][]> {
  try {
    const { PARLEY_BASE_URL: baseUrl, PARLEY_OPERATOR_KEY: operatorKey, PARLEY_TOKEN: token } = process.env
    const options = Object.fromEntries(Object.entries({ baseUrl, operatorKey, token }).filter(([, value]) => value))
    const api = path.startsWith('/admin/')
      ? connectAsOperator(options as OperatorOptions).api
      : connectAsProject(options as TokenOptions)
    const answer = await api.call<{ data?: Entry[]; nodes?: Entry[] }>('GET', path, undefined, {
      patience_ms: PATIENCE_MS,
    })
    const records: Entry[] = answer.data ?? answer.nodes ?? []
    return records.map((record) => [String(record._id ?? record.id), aboutOf(record)])
  } catch (error) {
    if (error instanceof CommandFailure) return []
    throw error
  }
}

/** The first of the fields that people know a record by. */
function aboutOf({ name, full_name, shortcut, title, key, number, host, action, status }: Entry): string {
  return printable(String(name ?? full_name ?? shortcut ?? title ?? key ?? number ?? host ?? action ?? status ?? ''))
}
