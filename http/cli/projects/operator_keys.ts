/** `parley operator-keys`. */

import { type Command, Option } from 'commander'
import type { Api } from '../connection/api.ts'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { shortTime } from '../options/time_option.ts'
import type { OperatorKey } from '../records/generated.ts'
import { mustAgree, withYes } from '../terminal/confirm.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { paint, printable, printJson, printLine, remark, table } from '../terminal/terminal.ts'

const KEYS = '/admin/v1/operator-keys'
/** Characters of a key that lists show. */
const PREFIX = 11

export function addOperatorKeyCommands(program: Command): void {
  const keys = program
    .command('operator-keys')
    .summary('create, list and revoke keys of the operator API')
    .description(
      'Each operator gets a named key with a role: read, support (also operations that mend, such as replaying dead ' +
        'letters) or admin. The audit names the key of each change. PARLEY_OPERATOR_KEY of the server is an admin key ' +
        'that cannot be revoked.',
    )

  const create = withOperatorOptions(keys.command('create'))
    .summary('make a key and show it, once')
    .description(
      'Creates a key of the operator API and shows it. It is not shown again: Parley stores only a hash of it.',
    )
    .argument('<name>', 'name of its bearer, as the audit shows it')
    .addOption(
      new Option('--role <role>', 'what the key may do').choices(['read', 'support', 'admin']).makeOptionMandatory(),
    )
    .option('--json', 'print the record as JSON')
    .action(createKey)
  withExamples(create, [
    'parley operator-keys create "Ana Ruiz" --role support',
    'KEY=$(parley operator-keys create Dashboard --role read --json | jq -r .key)',
  ])

  const list = withOperatorOptions(keys.command('list'))
    .summary('list keys, newest first')
    .description('Lists the keys of the operator API, newest first, including revoked ones.')
    .option('--json', 'print the records as JSON')
    .action(listKeys)
  withExamples(list, ['parley operator-keys list'])

  const revoke = withYes(withOperatorOptions(keys.command('revoke')))
    .summary('end a key, at once')
    .description('Revokes a key of the operator API, after a question. No node accepts it from the next request on.')
    .argument('<id>', 'its id (parley operator-keys list), or the key itself')
    .option('--json', 'print JSON')
    .action(revokeKey)
  withExamples(revoke, ['parley operator-keys revoke 66f2a0c1d4e5f60718293a50 --yes'])
}

async function createKey(name: string, options: OperatorOptions & { role: string; json?: boolean }): Promise<void> {
  const body = { name, role: options.role }
  const key: OperatorKey & { key: string } = await connectAsOperator(options).api.call('POST', KEYS, body)
  if (options.json) return printJson(key)
  printLine(key.key)
  const about = `Shown this once: keep it now. "${printable(key.name)}" (${key._id}) has the role ${key.role}.`
  remark(paint('dim', about, process.stderr))
}

async function listKeys(options: OperatorOptions & { json?: boolean }): Promise<void> {
  const keys: OperatorKey[] = await connectAsOperator(options).api.all(KEYS)
  if (options.json) return printJson(keys)
  if (keys.length === 0) return remark('There are no operator keys besides PARLEY_OPERATOR_KEY.')
  const rows = keys.map(({ _id, name, role, prefix, status, last_used_at }) => [
    _id,
    name,
    role,
    `${prefix}…`,
    status,
    last_used_at ? shortTime(last_used_at) : 'never',
  ])
  process.stdout.write(table(['id', 'name', 'role', 'key', 'status', 'last used (UTC)'], rows, 1))
}

async function revokeKey(
  id_or_key: string,
  options: OperatorOptions & { yes?: boolean; json?: boolean },
): Promise<void> {
  const { api } = connectAsOperator(options)
  const is_itself = id_or_key.startsWith('svc_ok_')
  const label = is_itself ? `${id_or_key.slice(0, PREFIX)}…` : id_or_key
  const id = is_itself ? await idOf(api, id_or_key.slice(0, PREFIX)) : id_or_key
  if (!options.yes) {
    await mustAgree({
      question: `Revoke the key ${label}? Its bearer is refused from then on.`,
      refusal: 'Nothing is revoked',
    })
  }
  await api.call('DELETE', `${KEYS}/${encodeURIComponent(id)}`)
  if (options.json) printJson({ revoked: label })
  else printLine(`Revoked ${label}.`)
}

/** The id of the key in use that begins so. The key itself stays on this machine, where no log has it. */
async function idOf(api: Api, prefix: string): Promise<string> {
  const keys: OperatorKey[] = await api.all(KEYS)
  const [found, ...others] = keys.filter((key) => key.prefix === prefix && key.status === 'active')
  if (!found) throw new CommandFailure(`No operator key in use begins with ${prefix}.`)
  if (others.length > 0) throw new CommandFailure(`Several keys begin with ${prefix}: give the id.`, 2)
  return found._id
}
