import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ServerError } from './server_error.ts'

/** Runs commands as an account that PostgreSQL accepts. */
export type Account = {
  /** Set when we are root: the required owner of the data directory. */
  owner: { uid: number; gid: number } | null
  /** The command line to spawn instead of `command`. */
  wrap(command: string, args: string[]): [string, string[]]
}

/** Ourselves: the account of everyone but root. */
const self: Account = { owner: null, wrap: (command, args) => [command, args] }

/**
 * PostgreSQL refuses to run as root, so root picks another account: the owner of an existing cluster, else `postgres`,
 * else `nobody`.
 *
 * When that account cannot reach the binaries or the data (a clone under /root, a directory made by `mktemp -d`), it
 * gets one capability, passing through directories, and loses all others. `no_setuid_fixup` is part of that: without it
 * access(2), by which PostgreSQL looks for its own files, ignores capabilities.
 */
export function serverAccount(cluster: string, binaries: string): Account {
  if (process.getuid?.() !== 0) return self
  const owner = ownerOf(cluster) ?? named('postgres') ?? named('nobody')
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find(isExecutable)
  if (!owner || !setpriv) {
    throw new ServerError('PostgreSQL does not run as root: start Parley as another user or set DATABASE_URL.')
  }
  const open = [cluster, binaries].every((path) =>
    ancestors(realpathSync(dirname(path))).every((directory) => mode(directory) & 0o001),
  )
  const capability = open ? null : passage()
  const flags = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', '--no-new-privs']
  if (capability) {
    const lent = `-all,+${capability}`
    flags.push(`--inh-caps=${lent}`, `--ambient-caps=${lent}`, `--bounding-set=${lent}`)
    flags.push('--securebits=+no_setuid_fixup,+noroot')
  } else {
    flags.push('--inh-caps=-all', '--bounding-set=-all')
  }
  return { owner, wrap: (command, args) => [setpriv, [...flags, '--', command, ...args]] }
}

/** The weakest capability we hold that opens closed directories; containers usually have only the second. */
function passage(): string {
  const status = readFileSync('/proc/self/status', 'utf8')
  const held = BigInt(`0x${/^CapEff:\s*(\w+)/m.exec(status)?.[1] ?? '0'}`)
  if (held & (1n << 2n)) return 'dac_read_search'
  if (held & (1n << 1n)) return 'dac_override'
  throw new ServerError(
    'PostgreSQL does not run as root and no other account can reach this directory: ' +
      'move Parley and PARLEY_DATA_DIR to a directory that every user may pass through, or start it as another user.',
  )
}

function ownerOf(path: string): Account['owner'] {
  try {
    const { uid, gid } = statSync(path)
    return uid === 0 ? null : { uid, gid }
  } catch {
    return null
  }
}

function named(name: string): Account['owner'] {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : null
}

/** `directory` and all its ancestors. */
function ancestors(directory: string): string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...ancestors(parent)]
}

const mode = (path: string) => statSync(path).mode

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
