import { readSecretStatus, type SecretStatus, VaultError } from '../../../storage/mod.ts'
import { withOwnPlace } from '../own_place.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { paint, printJson, printLine, table } from '../terminal/terminal.ts'

export async function showSecretStatus({ json }: { json?: boolean }): Promise<void> {
  const status = await withOwnPlace(({ database }) => explained(readSecretStatus(database)))
  if (json) return printJson(status)
  const { keys, nodes, rotation, may_drop, links_until, obstacles } = status
  const rows = keys.map((key) => [key.id, roleOf(key), String(key.values)])
  printLine(table(['key', 'PARLEY_SECRET', 'stored values'], rows, 1))
  if (nodes.length > 0) {
    const lines = nodes.map(({ id, host, pid, keys }) => [id, `${host}:${pid}`, keys?.join(', ') ?? 'not reported'])
    printLine(table(['node', 'process', 'keys, the first encrypts'], lines, 1))
  }
  if (rotation?.finished_at === null) printLine(`${rotation.resealed} values done since ${rotation.started_at}.`)
  for (const obstacle of obstacles) printLine(paint('yellow', obstacle))
  if (may_drop.length > 0) printLine(paint('green', dropping(may_drop, links_until)))
  else if (obstacles.length === 0) printLine(idle(keys))
}

/** For a list of which no secret may be dropped, although no value needs the others. */
function idle(keys: SecretStatus['keys']): string {
  const others = keys.filter(({ seals }) => !seals).map(({ id }) => id)
  if (others.length === 0) return 'All values have the key of the only secret: there is nothing to do.'
  return `No stored value has the key ${others.join(', ')}, and no rotation has replaced it, so its secret is taken for a new one: when all nodes have it, make it the first of PARLEY_SECRET.`
}

function roleOf({ is_known, seals }: SecretStatus['keys'][number]): string {
  if (!is_known) return paint('red', 'missing')
  return seals ? 'encrypts' : 'decrypts'
}

function dropping(keys: string[], links_until: string | null): string {
  const text =
    `No stored value and no node needs ${keys.join(', ')}. Remove ` +
    `${keys.length === 1 ? 'its secret' : 'their secrets'} from PARLEY_SECRET and restart the nodes.`
  if (links_until === null) return text
  return `${text} Addresses of uploaded files that were signed with ${keys.length === 1 ? 'it' : 'them'} end then; without that loss, wait until ${links_until}.`
}

async function explained<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof VaultError) throw new CommandFailure(`${error.message}.`)
    throw error
  }
}
