import { stripVTControlCharacters } from 'node:util'
import { clip } from '../terminal.ts'

/** Another screen of the terminal, without a cursor; and back. */
const OPEN = '\x1b[?1049h\x1b[?25l'
const CLOSE = '\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const END_OF_LINE = '\x1b[K'
const BELOW = '\x1b[J'

/** Keys that end the frames; the last two are Ctrl-C and Ctrl-D, which are keys like others while the terminal is raw. */
const END_KEYS = ['q', 'Q', '\x03', '\x04']

/** Shows frames, until somebody types q or ends the command. */
export class Screen {
  readonly #stream: NodeJS.WriteStream
  readonly #keys: NodeJS.ReadStream
  readonly #is_drawn: boolean
  readonly #ended = Promise.withResolvers<void>()

  /** `is_drawn`: each frame replaces the one before, on a terminal. */
  constructor({ is_drawn }: { is_drawn: boolean }) {
    const [stream, keys] = [process.stdout, process.stdin]
    this.#stream = stream
    this.#keys = keys
    this.#is_drawn = is_drawn
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, this.#end)
    if (!is_drawn) return
    stream.write(OPEN)
    if (!keys.isTTY) return
    keys.setRawMode?.(true)
    keys.on('data', this.#typed)
    keys.resume()
  }

  /** Resolves when the frames are to end. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  show(frame: string): void {
    if (!this.#is_drawn) {
      this.#stream.write(`${frame}\n`)
      return
    }
    const { columns = 80, rows = 24 } = this.#stream
    const lines = frame.split('\n').slice(0, rows - 1)
    const fitting = lines.map((line) =>
      visible(line) > columns ? clip(stripVTControlCharacters(line), columns) : line,
    )
    this.#stream.write(`${HOME}${fitting.map((line) => `${line}${END_OF_LINE}`).join('\r\n')}${BELOW}`)
  }

  close(): void {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, this.#end)
    if (!this.#is_drawn) return
    this.#stream.write(CLOSE)
    if (!this.#keys.isTTY) return
    this.#keys.off('data', this.#typed)
    this.#keys.setRawMode?.(false)
    this.#keys.pause()
  }

  readonly #end = () => this.#ended.resolve()

  readonly #typed = (keys: Buffer) => {
    if ([...keys.toString()].some((key) => END_KEYS.includes(key))) this.#end()
  }
}

function visible(line: string): number {
  return [...stripVTControlCharacters(line)].length
}
