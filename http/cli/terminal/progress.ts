import { clip } from './terminal.ts'

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

const BAR = 24
const LINE_EVERY_MS = 1_000
const REDRAW = '\r\x1b[2K'

/** Shows progress: on a terminal one line that is redrawn, elsewhere at most a line a second. */
export class Progress {
  readonly #stream: Stream
  #text = ''
  #shown_at = Number.NEGATIVE_INFINITY

  constructor(stream: Stream = process.stderr) {
    this.#stream = stream
  }

  /** `total` is null while it is unknown. `unit` follows the numbers, such as ` MiB`. */
  show(done: number, total: number | null, unit = ''): void {
    const text =
      total === null ? 'counting …' : `${bar(done, total)} ${done} of ${total}${unit} (${percent(done, total)} %)`
    if (text === this.#text) return
    if (this.#stream.isTTY) {
      this.#stream.write(`${REDRAW}${clip(text, (this.#stream.columns || 80) - 1)}`)
    } else {
      const now = performance.now()
      if (now - this.#shown_at < LINE_EVERY_MS) return
      this.#shown_at = now
      this.#stream.write(`${text}\n`)
    }
    this.#text = text
  }

  /** Removes the line, so that other text can be printed. */
  clear(): void {
    if (this.#stream.isTTY && this.#text) this.#stream.write(REDRAW)
    this.#text = ''
  }
}

/** Never 100 before all of it is done. */
function percent(done: number, total: number): number {
  return total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total))
}

function bar(done: number, total: number): string {
  const full = Math.floor((BAR * percent(done, total)) / 100)
  return '█'.repeat(full) + '░'.repeat(BAR - full)
}
