import { stripVTControlCharacters } from 'node:util'
import { clip, paint } from '../terminal/terminal.ts'

/** Another screen of the terminal, without a cursor; and back. */
const OPEN = '\x1b[?1049h\x1b[?25l'
const CLOSE = '\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const END_OF_LINE = '\x1b[K'
const BELOW = '\x1b[J'

/** Keys that end the frames; the last two are Ctrl-C and Ctrl-D, which are keys like others while the terminal is raw. */
const END_KEYS = ['q', 'Q', '\x03', '\x04']

/** Columns of a terminal; a pipe has room for all. */
export function columnsOf(stream: NodeJS.WriteStream): number {
  return stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY
}

type Frame = (columns: number) => string

/** Shows frames, until somebody types q or ends the command. */
export class Screen {
  readonly #stream: NodeJS.WriteStream
  readonly #keys: NodeJS.ReadStream
  readonly #is_drawn: boolean
  #frame: Frame | undefined
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
    stream.on?.('resize', this.#again)
    if (!keys.isTTY) return
    keys.setRawMode?.(true)
    keys.on('data', this.#typed)
    keys.resume()
  }

  /** Resolves when the frames are to end. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  show(frame: Frame): void {
    const columns = columnsOf(this.#stream)
    if (!this.#is_drawn) {
      this.#stream.write(`${frame(columns)}\n`)
      return
    }
    this.#frame = frame
    const { rows = 24 } = this.#stream
    const all = frame(columns).trimEnd().split('\n')
    const lines = all.length < rows ? all : all.slice(0, rows - 2)
    if (lines.length < all.length) lines.push(paint('dim', `… and ${all.length - lines.length} lines more`))
    const fitting = lines.map((line) =>
      visible(line) > columns ? clip(stripVTControlCharacters(line), columns) : line,
    )
    this.#stream.write(`${HOME}${fitting.map((line) => `${line}${END_OF_LINE}`).join('\r\n')}${BELOW}`)
  }

  close(): void {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, this.#end)
    if (!this.#is_drawn) return
    this.#stream.off?.('resize', this.#again)
    this.#stream.write(CLOSE)
    if (!this.#keys.isTTY) return
    this.#keys.off('data', this.#typed)
    this.#keys.setRawMode?.(false)
    this.#keys.pause()
  }

  readonly #again = () => {
    if (this.#frame) this.show(this.#frame)
  }

  readonly #end = () => this.#ended.resolve()

  readonly #typed = (keys: Buffer) => {
    if ([...keys.toString()].some((key) => END_KEYS.includes(key))) this.#end()
  }
}

function visible(line: string): number {
  return [...stripVTControlCharacters(line)].length
}
