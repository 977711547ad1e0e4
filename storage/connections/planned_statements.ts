/**
 * The statements that connections have planned. Shapes that recur are prepared, on each connection apart.
 *
 *  P2 A name is used once. A statement that a failed query was to prepare is prepared anew under another name. It is used once
 *  among all connections, too: where a pooler goes on with another one against our rule, the server knows no such name, instead of
 *  executing another statement.
 */
import { randomUUID } from 'node:crypto'
import { plain, type Statement } from '../sql/statement.ts'
import type { Session } from './session.ts'

/** Statements of a shape seen this often are prepared. */
const OFTEN = 3
/** Maximum prepared statements of a connection: each takes some tens of kilobytes on the server. */
const MAX = 200
/** Maximum shapes counted before all counts are dropped. */
const MAX_SHAPES = 2000

/** Errors of a statement that the session does not have (any more), and of a plan whose columns have changed. */
const OUTDATED = new Set(['26000', '0A000'])

/**
 * True for an error that may come from what the session has prepared alone. The server has rolled the query back, so it may be
 * sent again as soon as the statements are prepared anew.
 */
export function isOutdated(error: unknown): boolean {
  return OUTDATED.has(String((error as { code?: unknown } | undefined)?.code))
}

type Prepared = { names: Map<string, string>; prefix: string; count: number }

/** The commands of each statement for a connection, of which the last one has its rows. */
export type Words = { commands: string[][]; succeeded(): void }

export class PlannedStatements {
  readonly #prepared = new WeakMap<Session, Prepared>()
  readonly #seen = new Map<string, number>()

  /** Call `succeeded` when the commands were executed. Otherwise the connection counts as not having prepared any. */
  words(session: Session, statements: readonly Statement[]): Words {
    const prepared = this.#prepared.get(session) ?? {
      names: new Map(),
      prefix: `p${randomUUID().slice(0, 13).replace('-', '')}`,
      count: 0,
    }
    this.#prepared.set(session, prepared)
    const fresh = new Map<string, string>()
    const commands = statements.map((statement) => this.#commands(prepared, statement, fresh))
    return {
      commands,
      succeeded() {
        for (const [text, name] of fresh) prepared.names.set(text, name)
      },
    }
  }

  /** The session counts as having prepared nothing. */
  forget(session: Session): void {
    this.#prepared.delete(session)
  }

  /** The commands of a statement on a connection. Statements to be prepared with it are added to `fresh`. */
  #commands(prepared: Prepared, statement: Statement, fresh: Map<string, string>): string[] {
    const { text, params } = statement
    if (params.length === 0) return [text]
    const { names } = prepared
    const known = names.get(text) ?? fresh.get(text)
    if (known) return [execution(known, statement)]
    if (!this.#isOften(text)) return [plain(statement)]
    // Drops all of them, unused shapes included, to make room.
    const forget = fresh.size === 0 && names.size >= MAX
    if (forget) names.clear()
    const name = `${prepared.prefix}_${++prepared.count}`
    fresh.set(text, name)
    const types = params.map(({ type }) => type).join(', ')
    const prepare = `prepare ${name} (${types}) as ${text}`
    return [...(forget ? ['deallocate all'] : []), prepare, execution(name, statement)]
  }

  #isOften(text: string): boolean {
    const seen = (this.#seen.get(text) ?? 0) + 1
    if (this.#seen.size >= MAX_SHAPES) this.#seen.clear()
    this.#seen.set(text, seen)
    return seen >= OFTEN
  }
}

function execution(name: string, { params }: Statement): string {
  return `execute ${name}(${params.map(({ value }) => value).join(', ')})`
}
