/**
 * The servers of a PostgreSQL URL, in libpq's form, and the order in which they are tried. A name may stand for several
 * addresses, and for others tomorrow: names are resolved for every new connection.
 *
 * A new connection goes to the server that took the last one. After a failure the next one in the list is tried.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

/** The location of a server. `name` is the one its certificate must have; `address` is an IP, or a directory with a socket. */
export type Server = { name: string; address: string; port: number }

type Host = { name: string; port: number }
type ServerFailure = { server: Server; of: number; error: Error }

/** Accepted values of `target_session_attrs`. With each of them only servers that take writes are used. */
const ATTRIBUTES = ['any', 'read-write', 'primary']
/** Modes that the driver takes for `verify-full`, with a warning of several lines. */
const VERIFIED = ['prefer', 'require', 'verify-ca']
const FORM = 'must be a URL that begins with postgres:// or postgresql://'

/**
 * Parses `postgres://user:password@one:5432,two:5433/database?…`. A query may name `host` and `port`, each with commas,
 * too. `url` is the same for a driver that supports one host only.
 *
 * @throws an Error whose text ends a sentence that begins with the setting, and repeats nothing of the URL
 */
export function parsePostgresUrl(text: string): { url: string; hosts: Host[] } {
  const parts = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text)
  if (!parts) throw new Error(FORM)
  const [, scheme, credentials, authority = '', rest] = parts
  const listed = authority.split(',').map((one) => /^(\[[^\]]+\]|[^:]*)(?::(\d*))?$/.exec(one)?.slice(1))
  if (!listed.every((one) => one !== undefined))
    throw new Error('must name its servers as host:port, with commas between')
  const url = URL.parse(`${scheme}${credentials}${listed[0]![0] || 'localhost'}${rest}`)
  if (!url) throw new Error(FORM)
  const query = url.searchParams
  const attributes = query.get('target_session_attrs') ?? 'any'
  if (!ATTRIBUTES.includes(attributes)) {
    throw new Error('must not ask for servers that take no writes: leave target_session_attrs out, or set read-write')
  }
  const names = query.get('host')?.split(',') ?? listed.map(([name]) => name ?? '')
  const ports = query.get('port')?.split(',') ?? listed.map(([, port]) => port ?? '')
  if (ports.length !== 1 && ports.length !== names.length) throw new Error('must give one port, or one for each host')
  const hosts = names.map((name, index) => ({ name: nameOf(name), port: portOf(ports[index] ?? ports[0] ?? '') }))
  if (VERIFIED.includes(query.get('sslmode') ?? '') && !query.has('uselibpqcompat')) query.set('sslmode', 'verify-full')
  for (const key of ['host', 'port', 'target_session_attrs']) if (query.has(key)) query.delete(key)
  return { url: url.href, hosts }
}

function nameOf(text: string): string {
  try {
    return decodeURIComponent(text).replace(/^\[(.*)\]$/, '$1') || process.env.PGHOST || 'localhost'
  } catch {
    throw new Error('must name its servers as host:port, with commas between')
  }
}

function portOf(text: string): number {
  const port = Number(text || process.env.PGPORT || 5432)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  throw new Error('must give ports from 1 to 65535')
}

/** A server that answers but takes no writes. Carries the SQLSTATE of a write that is refused for that reason. */
export class ReadOnlyServer extends Error {
  override name = 'ReadOnlyServer'
  readonly code = '25006'
  constructor(server: Server, reason: string) {
    super(`${describeServer(server)} takes no writes: ${reason}`)
  }
}

export class Servers {
  readonly #hosts: readonly Host[]
  readonly #resolve: (name: string) => Promise<string[]>
  #known: Server[] = []
  /** Key of the server to try next. */
  #next: string | undefined
  readonly #failures = new WeakMap<object, ServerFailure>()

  /** `resolve`: all addresses of a name. */
  constructor(hosts: readonly Host[], resolve: (name: string) => Promise<string[]> = addressesOf) {
    this.#hosts = hosts
    this.#resolve = resolve
  }

  /** The server to try next, and the number of servers. */
  async choose(): Promise<{ server: Server; of: number }> {
    const found = this.#hosts.map(async ({ name, port }) => {
      const is_place = name.startsWith('/') || isIP(name) !== 0
      // The attempt to connect reports a name that does not resolve now.
      const addresses = is_place ? [name] : await this.#resolve(name).catch(() => [name])
      return addresses.map((address) => ({ name, address, port }))
    })
    this.#known = (await Promise.all(found)).flat()
    const server = this.#known.find((one) => keyOf(one) === this.#next) ?? this.#known[0]!
    this.#next = keyOf(server)
    return { server, of: this.#known.length }
  }

  succeeded(server: Server): void {
    this.#next = keyOf(server)
  }

  /** Moves on to the next server after a failure, unless that has happened already. */
  failed(server: Server): void {
    if (this.#next !== keyOf(server)) return
    const index = this.#known.findIndex((one) => keyOf(one) === this.#next)
    const next = this.#known[(index + 1) % this.#known.length]
    this.#next = next && keyOf(next)
  }

  /** Records the server that caused an error, for `reach`. */
  blame(server: Server, of: number, error: Error): void {
    this.#failures.set(error, { server, of, error })
  }

  /**
   * Repeats `attempt`, which opens a connection, until it succeeds or each server was tried. A refusal of the password
   * or a missing database ends the attempts at once, as in libpq.
   *
   * @throws the error of the only server, or one with the errors of all servers
   */
  async reach<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const failures: ServerFailure[] = []
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        const failure = this.#failures.get(error as Error)
        if (!failure || failure.of === 1 || isRefusal(error)) throw error
        failures.push(failure)
        if (failures.length >= failure.of) throw batched(failures)
      }
    }
  }
}

export function keyOf({ address, port }: Server): string {
  return `${address} ${port}`
}

function describeServer({ name, address, port }: Server): string {
  return name === address ? `${name}:${port}` : `${name}:${port} (${address})`
}

async function addressesOf(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}

/** True when a PostgreSQL answered and refused the password or the database. */
export function isRefusal(error: unknown): boolean {
  return /^(28|3D)/.test(String((error as { code?: unknown }).code))
}

/** Its code is 25006 when a server answered but takes no writes, else the last error's. */
function batched(failures: ServerFailure[]): Error {
  const errors = failures.map(({ error }) => error as Error & { code?: string })
  const said = failures.map(({ server, error }) => `${describeServer(server)}: ${error.message}`)
  const code = errors.find((error) => error.code === '25006')?.code ?? errors.at(-1)?.code
  const cause = new AggregateError(errors)
  return Object.assign(
    new Error(`no server takes writes (${said.join('; ')})`, { cause }),
    code === undefined ? {} : { code },
  )
}
