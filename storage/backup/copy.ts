/**
 * `COPY` over a session: PostgreSQL's own text format, streamed in either direction.
 *
 *  C1 Memory is bounded: no more is read from the socket than its reader has taken, nor written than the server takes.
 *  C2 The text consists of whole rows, one a line; line feeds in values are escaped.
 */
import type { Session } from '../connections/session.ts'
import type { Sql } from '../sql/sql.ts'

/** The part of the driver's connection that COPY uses. */
type Connection = {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
  stream: {
    pause(): unknown
    resume(): unknown
    writableNeedDrain: boolean
    once(event: 'drain' | 'close', listener: () => void): unknown
    off(event: 'drain' | 'close', listener: () => void): unknown
  }
}

/** A query as the driver calls it. Both directions answer the messages of the other one by failing. */
abstract class CopyQuery {
  readonly #text: string
  #failure: Error | undefined
  readonly ended = Promise.withResolvers<void>()
  is_over = false

  constructor(text: string) {
    this.#text = text
    this.ended.promise.catch(() => {})
  }

  /** Called when no more of it comes. */
  protected over(): void {
    this.is_over = true
  }

  run(session: Session): void {
    ;(session as unknown as { query(query: CopyQuery): void }).query(this)
  }

  submit(connection: Connection): void {
    connection.query(this.#text)
  }

  handleError(error: Error): void {
    // A lost connection is not followed by a readiness.
    this.#failure ??= error
    this.ended.reject(error)
    this.over()
  }

  handleReadyForQuery(): void {
    this.over()
    if (this.#failure) this.ended.reject(this.#failure)
    else this.ended.resolve()
  }

  abstract handleCopyData(message: { chunk: Buffer }, connection: Connection): void
  abstract handleCopyInResponse(connection: Connection): void
  handleCommandComplete(_: { text: string }): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
}

/** Number of rows and their bytes. */
export type Rows = { text: Buffer; rows: number }

/** Gathers rows into chunks and stops the socket while a full chunk waits. */
class CopyOut extends CopyQuery {
  readonly #least: number
  #parts: Buffer[] = []
  #bytes = 0
  #rows = 0
  #full: Rows[] = []
  #paused: Connection | undefined
  #wake = () => {}

  constructor(text: string, least: number) {
    super(text)
    this.#least = least
  }

  protected override over(): void {
    super.over()
    // The end may come in one piece with the row that filled a chunk. The next statement needs the socket.
    this.#resume()
    this.#wake()
  }

  #resume(): void {
    this.#paused?.stream.resume()
    this.#paused = undefined
  }

  override handleCopyData({ chunk }: { chunk: Buffer }, connection: Connection): void {
    // The driver uses its buffer again.
    this.#parts.push(Buffer.from(chunk))
    this.#bytes += chunk.length
    this.#rows++
    if (this.#bytes < this.#least) return
    this.#close()
    connection.stream.pause()
    this.#paused = connection
    this.#wake()
  }

  override handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail('this statement sends no rows')
  }

  #close(): void {
    if (this.#rows === 0) return
    this.#full.push({ text: Buffer.concat(this.#parts), rows: this.#rows })
    this.#parts = []
    this.#bytes = 0
    this.#rows = 0
  }

  async *chunks(): AsyncGenerator<Rows> {
    for (;;) {
      const next = this.#full.shift()
      if (next) yield next
      else if (this.is_over) break
      else {
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        this.#resume()
        await woken
      }
    }
    await this.ended.promise
    this.#close()
    yield* this.#full
  }
}

/**
 * The rows of `COPY … TO STDOUT` in chunks of at least `least` bytes, except for the last one. A reader that stops early
 * has to reset the session.
 *
 * @throws the driver's error
 */
export function copyOut(session: Session, { sql }: Sql, least: number): AsyncGenerator<Rows> {
  const query = new CopyOut(sql, least)
  query.run(session)
  return query.chunks()
}

class CopyIn extends CopyQuery {
  readonly #source: AsyncIterable<Buffer>
  /** The error of the source, which broke the statement off. */
  broken: { by: unknown } | undefined
  stored = 0

  constructor(text: string, source: AsyncIterable<Buffer>) {
    super(text)
    this.#source = source
  }

  override handleCopyData(): void {}

  override handleCommandComplete({ text }: { text: string }): void {
    this.stored = Number(text.split(' ')[1])
  }

  override handleCopyInResponse(connection: Connection): void {
    void this.#send(connection)
  }

  async #send(connection: Connection): Promise<void> {
    try {
      for await (const piece of this.#source) {
        // The server has refused a row, or is gone.
        if (this.is_over) return
        connection.sendCopyFromChunk(piece)
        if (connection.stream.writableNeedDrain) await drained(connection)
      }
      connection.endCopyFrom()
    } catch (error) {
      this.broken = { by: error }
      if (!this.is_over) connection.sendCopyFail('the source of the rows failed')
    }
  }
}

function drained({ stream }: Connection): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      stream.off('drain', go)
      stream.off('close', go)
      resolve()
    }
    stream.once('drain', go)
    stream.once('close', go)
  })
}

/**
 * Sends rows to `COPY … FROM STDIN`. Returns the number of rows that the server has stored.
 *
 * @throws the driver's error, or that of the source; none of the rows is stored then
 */
export async function copyIn(session: Session, { sql }: Sql, rows: AsyncIterable<Buffer>): Promise<number> {
  const query = new CopyIn(sql, rows)
  query.run(session)
  try {
    await query.ended.promise
  } catch (error) {
    throw query.broken ? query.broken.by : error
  }
  return query.stored
}

const TAB = 9
const LINE_FEED = 10

/** The rows without some of their columns. Tabs and line feeds in values are escaped, so each one ends a value. */
export async function* keepColumns(rows: AsyncIterable<Buffer>, kept: readonly boolean[]): AsyncGenerator<Buffer> {
  let column = 0
  let written = 0
  for await (const piece of rows) {
    const out = Buffer.allocUnsafe(piece.length)
    let length = 0
    for (const byte of piece) {
      if (byte === TAB || byte === LINE_FEED) {
        if (kept[column]) written++
        column++
        if (byte === LINE_FEED) {
          column = 0
          written = 0
          out[length++] = byte
        } else if (kept[column] && written > 0) out[length++] = byte
      } else if (kept[column]) out[length++] = byte
    }
    if (length > 0) yield out.subarray(0, length)
  }
}
