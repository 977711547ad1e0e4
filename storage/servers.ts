/**
 * The servers that a PostgreSQL URL names, in libpq's form, and which of them is tried next. A name may stand for several
 * addresses, and for others tomorrow: names are resolved for every new connection.
 *
 * A new connection goes to the server that took the last one. When that fails, the next in the list has its turn.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

/** Where a server may be. `name` is what its certificate has to say; `address` is an IP, or a directory with a socket. */
export type Server = { name: string; address: string; port: number }

type Host = { name: string; port: number }
type ServerFailure = { server: Server; of: number; error: Error }

/** Kinds of servers that can be asked for and take writes. Whichever is asked for, only servers that take writes are used. */
const ATTRIBUTES = ['any', 'read-write', 'primary']
const FORM = 'must be a URL that begins with postgres:// or postgresql://'

/**
 * Reads `postgres://user:password@one:5432,two:5433/database?…`. A query may name `host` and `port`, each with commas, too.
 * `url` is the same for a driver that knows one host only.
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

/** A server that is there and takes no writes. It has the SQLSTATE of a statement that is refused for that reason. */
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
  /** The one that has its turn, by its key. */
  #next: string | undefined
  readonly #failures = new WeakMap<object, ServerFailure>()

  /** `resolve`: all addresses of a name. */
  constructor(hosts: readonly Host[], resolve: (name: string) => Promise<string[]> = addressesOf) {
    this.#hosts = hosts
    this.#resolve = resolve
  }

  /** The server that has its turn, and how many there are. */
  async choose(): Promise<{ server: Server; of: number }> {
    const found = this.#hosts.map(async ({ name, port }) => {
      const is_place = name.startsWith('/') || isIP(name) !== 0
      // Where there is no such name now, the attempt to connect says so.
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

  /** After a failure the next server has its turn, unless it has it already. */
  failed(server: Server): void {
    if (this.#next !== keyOf(server)) return
    const index = this.#known.findIndex((one) => keyOf(one) === this.#next)
    const next = this.#known[(index + 1) % this.#known.length]
    this.#next = next && keyOf(next)
  }

  /** Remembers that an error was this server's, for `reach`. */
  blame(server: Server, of: number, error: Error): void {
    this.#failures.set(error, { server, of, error })
  }

  /**
   * Repeats `attempt`, which opens a connection, until it succeeded or each server had a turn. One that lets nobody in with
   * this password or has no such database ends the tries at once, as in libpq.
   *
   * @throws the error of the only server, or one that says what each of them said
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

/** True when a PostgreSQL is there and lets nobody in: with this password, or to this database. */
export function isRefusal(error: unknown): boolean {
  return /^(28|3D)/.test(String((error as { code?: unknown }).code))
}

/** Its code is 25006 when some server is there and takes no writes, else the last one's. */
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
