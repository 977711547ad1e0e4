/**
 * The connections that commit: one for each commit at a time, kept, each with the statements that it has prepared.
 *
 *  P1 A commit is one query, so one transaction, whatever of it is prepared.
 *  P2 A name is given once. What a failed query was to prepare is prepared anew under another name.
 *  P3 Joins are nested loops over indexes, whatever the tables held when the plan was made: it is used for long, and the
 *     tables swing between empty and large. Every statement finds its rows by a key.
 */
import type { Client, Connections } from './connections.ts'
import { plain, type Statement } from './statement.ts'

/** A shape that was seen so often is likely to come again. */
const OFTEN = 3
/** Prepared statements of a connection: each takes some tens of kilobytes there. */
const MOST = 200
/** Shapes counted before all are forgotten. */
const MOST_SHAPES = 2000

const SETTINGS = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off`

type Connection = { client: Client; prepared: Map<string, string>; names: number; is_lost: boolean }

export class CommitConnections {
  readonly #connections: Connections
  readonly #idle: Connection[] = []
  readonly #seen = new Map<string, number>()

  constructor(connections: Connections) {
    this.#connections = connections
  }

  /** Rejects with the driver's error; then it is the server's code that says whether anything happened. */
  async run(statements: readonly Statement[]): Promise<void> {
    const connection = this.#take() ?? (await this.#open())
    const fresh = new Map<string, string>()
    const query = statements.map((statement) => this.#word(connection, statement, fresh)).join(';\n')
    try {
      await connection.client.query(query)
      for (const [text, name] of fresh) connection.prepared.set(text, name)
    } catch (error) {
      // The server refused a statement, and goes on; whatever else it is ends the connection, now or in a moment.
      if ((error as { severity?: unknown }).severity !== 'ERROR') connection.is_lost = true
      throw error
    } finally {
      if (connection.is_lost) connection.client.end().catch(() => {})
      else this.#idle.push(connection)
    }
  }

  close(): void {
    for (const { client } of this.#idle.splice(0)) client.end().catch(() => {})
  }

  #take(): Connection | undefined {
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
      if (!connection.is_lost) return connection
    }
    return undefined
  }

  async #open(): Promise<Connection> {
    const client = this.#connections.client()
    const connection = { client, prepared: new Map<string, string>(), names: 0, is_lost: false }
    const lost = () => {
      connection.is_lost = true
    }
    client.on('error', lost)
    client.on('end', lost)
    try {
      await client.connect()
      await this.#connections.greet(client)
      await client.query(SETTINGS)
      return connection
    } catch (error) {
      // It may stand, only half set up.
      client.end().catch(() => {})
      throw error
    }
  }

  /** How a statement is said on a connection. What is to be prepared with it goes into `fresh`. */
  #word(connection: Connection, statement: Statement, fresh: Map<string, string>): string {
    const { text, params } = statement
    if (params.length === 0) return text
    const { prepared } = connection
    const known = prepared.get(text) ?? fresh.get(text)
    if (known) return execution(known, statement)
    if (!this.#isOften(text)) return plain(statement)
    // Shapes that nobody uses any more make room with the others.
    const forget = fresh.size === 0 && prepared.size >= MOST
    if (forget) prepared.clear()
    const name = `p${++connection.names}`
    fresh.set(text, name)
    const types = params.map(({ type }) => type).join(', ')
    return `${forget ? 'deallocate all; ' : ''}prepare ${name} (${types}) as ${text}; ${execution(name, statement)}`
  }

  #isOften(text: string): boolean {
    const seen = (this.#seen.get(text) ?? 0) + 1
    if (this.#seen.size >= MOST_SHAPES) this.#seen.clear()
    this.#seen.set(text, seen)
    return seen >= OFTEN
  }
}

function execution(name: string, { params }: Statement): string {
  return `execute ${name}(${params.map(({ value }) => value).join(', ')})`
}
