/** Keys of files, one a line in a temporary file: there may be too many for the memory. */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export class KeyList {
  readonly #file: FileHandle

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** The file has no name from the beginning: the system removes it with the process, also after `kill -9`. */
  static async open(): Promise<KeyList> {
    const directory = await mkdtemp(join(tmpdir(), 'parley-keys-'))
    try {
      return new KeyList(await open(join(directory, 'keys'), 'wx+', 0o600))
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }

  /** Adds lines that each end with a line feed. Throws when they cannot be written, such as on a full disk. */
  async append(lines: string | Buffer): Promise<void> {
    await this.#file.appendFile(lines)
  }

  /** The keys in their order. */
  async *keys(): AsyncGenerator<string> {
    let rest = ''
    for await (const text of this.#file.createReadStream({ start: 0, autoClose: false, encoding: 'utf8' })) {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      yield* lines
    }
  }

  /** Removes the list. Never throws: the work that needed the list is done. */
  async remove(): Promise<void> {
    await this.#file.close().catch(() => {})
  }
}
