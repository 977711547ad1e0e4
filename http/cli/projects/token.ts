import type { Command } from 'commander'
import type { Demo } from '../../app/demo/demo_file.ts'
import type { Api } from '../connection/api.ts'
import {
  type BaseOptions,
  connectAsOperator,
  connectWith,
  type OperatorOptions,
  withOperatorOptions,
} from '../connection/connection.ts'
import { projectOf } from '../data/project_option.ts'
import { withExamples } from '../options/examples.ts'
import { parseList } from '../options/list.ts'
import { parseExpiry, parseMoment, spanSince } from '../options/time_option.ts'
import type { Project, Token, User } from '../records/generated.ts'
import { mustAgree, withYes } from '../terminal/confirm.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { paint, printJson, printLine, remark, table } from '../terminal/terminal.ts'

type CreateOptions = OperatorOptions & {
  name: string
  scopes?: string[]
  expires?: Date | null
  project?: string
  user?: string
  json?: boolean
}
type ListOptions = OperatorOptions & { project?: string; user?: string; unusedSince?: string; json?: boolean }

/** Permission that a user needs to hold tokens. */
const PERMISSION = 'developer.manage_tokens'

export function addTokenCommands(program: Command): void {
  const token = program
    .command('token')
    .summary('create, list and revoke access tokens')
    .description(
      'Creates, lists and revokes the access tokens of projects. Uses the operator API; with a development start ' +
        'on this machine, its address, key, project and user are found automatically.',
    )

  const create = withOperatorOptions(token.command('create'))
    .summary('make a token and show it, once')
    .description('Creates an access token and shows it. It is not shown again: Parley stores only a hash of it.')
    .option('--name <name>', 'name of the token', 'Command line')
    .option(
      '--scopes <list>',
      'scopes separated by commas, or "all" (default: all for the demo; required elsewhere)',
      parseList,
    )
    .option('--expires <when>', 'expiry: 90d, 12h, 2030-01-31, or never (default: never)', parseExpiry)
    .option('--project <id>', 'project it gives access to (default: the demo’s; required elsewhere)')
    .option('--user <id>', `owner of the token (default: the user of the company with ${PERMISSION})`)
    .option('--json', 'print the record as JSON')
    .action(createToken)
  withExamples(create, [
    'parley token create',
    'parley token create --name CI --scopes messages:write --expires 90d',
    'parley token create --base-url https://parley.example.com \\',
    '  --project 66f2a0c1d4e5f60718293a4b --scopes all --expires never',
    'TOKEN=$(parley token create --json | jq -r .token)',
  ])

  const list = withOperatorOptions(token.command('list'))
    .summary('list tokens, newest first')
    .description(
      'Lists tokens, newest first, including revoked and expired ones. "used" is the time since the last use.',
    )
    .option('--project <id>', 'only those of this project')
    .option('--user <id>', 'only those of this user')
    .option('--unused-since <when>', 'only those not used since: 90d, 12h, 2026-11-21', parseMoment)
    .option('--json', 'print the records as JSON')
    .action(listTokens)
  withExamples(list, [
    'parley token list',
    'parley token list --unused-since 90d',
    'parley token list --json | jq -r \'.[] | select(.status=="active") | .name\'',
  ])

  const revoke = withYes(withOperatorOptions(token.command('revoke')))
    .summary('end a token, at once')
    .description(
      'Revokes a token, after a question. The token stops working on every node before this command returns.',
    )
    .argument('<id>', 'its id (parley token list), or the token itself, which then needs no operator key')
    .option('--json', 'print JSON')
    .action(revokeToken)
  withExamples(revoke, ['parley token revoke 66f2a0c1d4e5f60718293a4d --yes', 'parley token revoke svc_pk_… --yes'])
}

async function createToken(options: CreateOptions): Promise<void> {
  const { api, demo } = connectAsOperator(options)
  const project_id = projectOf(options, demo)
  const scopes = await chosenScopes(options.scopes, demo)
  const user_id = options.user ?? (await holder(api, project_id, demo))
  const token: Token & { token: string } = await api.call('POST', '/admin/v1/tokens', {
    project_id,
    user_id,
    name: options.name,
    scopes,
    expires_at: options.expires || null,
  })
  if (options.json) return printJson(token)
  printLine(token.token)
  const end = token.expires_at ? `ends ${token.expires_at}` : 'does not expire'
  remark(paint('dim', `Shown this once: keep it now. "${token.name}" (${token._id}) ${end}.`, process.stderr))
}

/** In a demo the default is all scopes; elsewhere scopes must be chosen explicitly. */
async function chosenScopes(names: string[] | undefined, demo: Demo | undefined): Promise<readonly string[]> {
  if (names && names.join() !== 'all') return names
  const { scopes: allScopes } = await import('../../../actors/mod.ts')
  if (names || demo) return allScopes
  throw new CommandFailure(`--scopes is missing: "all", or some of ${allScopes.join(', ')}.`, 2)
}

/** The only user of the company who may hold tokens, or the demo's of several. */
async function holder(api: Api, project_id: string, demo: Demo | undefined): Promise<string> {
  const { company_id } = await api.call<Project>('GET', `/admin/v1/projects/${encodeURIComponent(project_id)}`)
  const users: User[] = await api.all('/admin/v1/users', { company_id })
  const able = users.filter(({ is_active, permissions }) => is_active && permissions.includes(PERMISSION))
  const found = able.length === 1 ? able[0] : able.find(({ email }) => email === demo?.agent.email)
  if (found) return found._id
  const hint = able.length === 0 ? 'none has' : `several have (${able.map(({ _id }) => _id).join(', ')})`
  throw new CommandFailure(`--user is missing: of the company's users ${hint} the permission ${PERMISSION}.`, 2)
}

async function listTokens(options: ListOptions): Promise<void> {
  const { api } = connectAsOperator(options)
  const tokens: Token[] = await api.all('/admin/v1/tokens', {
    project_id: options.project,
    user_id: options.user,
    unused_since: options.unusedSince,
  })
  if (options.json) return printJson(tokens)
  if (tokens.length === 0) return remark(options.unusedSince ? 'There are no such tokens.' : 'There are no tokens.')
  const rows = tokens.map(({ _id, name, prefix, status, expires_at, last_used_at }) => [
    _id,
    name,
    `${prefix}…`,
    status,
    expires_at?.slice(0, 10) ?? 'never',
    last_used_at ? spanSince(last_used_at) : 'never',
  ])
  process.stdout.write(table(['id', 'name', 'token', 'status', 'expires', 'used'], rows, 1))
}

async function revokeToken(id: string, options: OperatorOptions & { yes?: boolean; json?: boolean }): Promise<void> {
  const is_itself = id.startsWith('svc_pk_')
  const label = is_itself ? `${id.slice(0, 11)}…` : id
  if (!options.yes) {
    const question = `Revoke the token ${label}? Programs that use it are refused from then on.`
    await mustAgree({ question, refusal: 'Nothing is revoked' })
  }
  if (is_itself) await revokeItself(id, options)
  else await connectAsOperator(options).api.call('DELETE', `/admin/v1/tokens/${encodeURIComponent(id)}`)
  if (options.json) printJson({ revoked: label })
  else printLine(`Revoked ${label}.`)
}

/** Revokes a token with itself as the authorization. */
async function revokeItself(token: string, options: BaseOptions): Promise<void> {
  await connectWith(options, token).call('DELETE', '/v1/me/token')
}
