import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { birthOf } from './process_table.ts'
import { ServerError } from './server_error.ts'

/** The facts that the servers of a data directory keep from one start to the next. */
type Memory = { postgres_port: number; postgres_password: string; nats_port: number; nats_token: string }

/**
 * The directory that holds everything of an embedded Parley, claimed for this process.
 *
 * The claim is the file `parley.pid` with our pid and birth. It is written completely under another name and then
 * linked, so that no process reads half a claim and only one of two starters gets it.
 */
export class DataDirectory {
  readonly path: string
  readonly #claim: string
  readonly #memory_file: string

  private constructor(path: string) {
    this.path = path
    this.#claim = join(path, 'parley.pid')
    this.#memory_file = join(path, 'servers.json')
  }

  /** Makes the directory when needed. Throws `ServerError` when another running Parley has it. */
  static claim(path: string): DataDirectory {
    const directory = new DataDirectory(resolve(path))
    try {
      const is_new = mkdirSync(directory.path, { recursive: true, mode: 0o700 }) !== undefined
      // PostgreSQL then runs as another user, who has to pass through.
      if (is_new && process.getuid?.() === 0) chmodSync(directory.path, 0o711)
      directory.#take()
    } catch (error) {
      if (error instanceof ServerError) throw error
      const reason = (error as NodeJS.ErrnoException).code
      throw new ServerError(`The data directory ${path} cannot be written (${reason}): set PARLEY_DATA_DIR.`, error)
    }
    return directory
  }

  #take(): void {
    const draft = `${this.#claim}.${process.pid}`
    writeFileSync(draft, `${process.pid} ${birthOf(process.pid)}\n`)
    try {
      for (let attempt = 0; attempt < 5; attempt++) {
        try {
          linkSync(draft, this.#claim)
          return
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        }
        const [pid, birth] = readWords(this.#claim)
        if (pid && birth && birthOf(Number(pid)) === birth) {
          throw new ServerError(
            `The data directory ${this.path} is in use by the Parley with process id ${pid}: stop that one, or set PARLEY_DATA_DIR to another directory.`,
          )
        }
        // Only one of two starters that see the same dead claim can move it away.
        const dead = `${draft}.dead`
        try {
          renameSync(this.#claim, dead)
          rmSync(dead, { force: true })
        } catch {}
      }
      throw new ServerError(`The data directory ${this.path} is being claimed by another start: try again.`)
    } finally {
      rmSync(draft, { force: true })
    }
  }

  /** Reads the facts of earlier starts; the first start makes the secrets. */
  recall(): Partial<Memory> & Pick<Memory, 'postgres_password' | 'nats_token'> {
    let memory: Partial<Memory> = {}
    try {
      memory = JSON.parse(readFileSync(this.#memory_file, 'utf8'))
    } catch {}
    return { postgres_password: secret(), nats_token: secret(), ...memory }
  }

  remember(memory: Memory): void {
    const draft = `${this.#memory_file}.new`
    writeFileSync(draft, `${JSON.stringify(memory, null, 2)}\n`, { mode: 0o600 })
    renameSync(draft, this.#memory_file)
  }

  release(): void {
    rmSync(this.#claim, { force: true })
  }
}

const secret = () => randomBytes(24).toString('hex')

function readWords(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trim().split(' ')
  } catch {
    return []
  }
}
