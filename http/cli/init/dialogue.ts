import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandFailure } from '../failure.ts'
import { paint, remark } from '../terminal.ts'

type Question = {
  /** Without punctuation. */
  text: string
  /** What tells where the answer is found. */
  hint?: string
  /** The option that gives the answer without a terminal. */
  option: string
  /** Taken for an empty answer. */
  otherwise?: string
  /** The answer is not shown while it is typed. */
  is_secret?: boolean
  /** The reason why an answer is not taken; undefined for a good one. */
  problem?: (answer: string) => string | undefined
}

/**
 * Questions on a terminal. Lines that come before their question are kept, so answers may be pasted. Without a terminal
 * every question fails with the name of the option that answers it.
 */
export class Dialogue {
  readonly is_possible = Boolean(process.stdin.isTTY && process.stderr.isTTY)
  readonly #lines: string[] = []
  #waiting: ((line: string | undefined) => void) | undefined
  #interface: Interface | undefined
  #is_over = false
  #is_hidden = false

  /** @throws {CommandFailure} when nobody can be asked, or nobody answers */
  async ask(question: Question): Promise<string> {
    const { text, hint, option, otherwise, is_secret = false, problem = () => undefined } = question
    if (!this.is_possible)
      throw new CommandFailure(`${option} is missing: ${text[0]!.toLowerCase()}${text.slice(1)}.`, 2)
    if (hint) remark(paint('dim', `  ${hint}`, process.stderr))
    for (;;) {
      const shown = `  ${text}${otherwise === undefined ? '' : ` [${otherwise}]`}: `
      const answer = (await this.#line(shown, is_secret)).trim() || (otherwise ?? '')
      const reason = answer === '' ? 'An answer is needed.' : problem(answer)
      if (reason === undefined) return answer
      remark(paint('red', `  ${reason}`, process.stderr))
    }
  }

  /** True for yes, which is also the answer of an empty line. */
  async agrees(text: string): Promise<boolean> {
    return !/^n(o)?$/i.test((await this.#line(`  ${text} [Y/n] `, false)).trim())
  }

  close(): void {
    this.#interface?.close()
  }

  async #line(question: string, is_secret: boolean): Promise<string> {
    this.#interface ??= this.#open()
    // Before the question, because the answer may come with it.
    this.#is_hidden = is_secret
    process.stderr.write(question)
    const line = await new Promise<string | undefined>((resolve) => {
      if (this.#lines.length > 0 || this.#is_over) resolve(this.#lines.shift())
      else this.#waiting = resolve
    })
    if (is_secret) process.stderr.write('\n')
    this.#is_hidden = false
    if (line === undefined) throw new CommandFailure('Ended before the channel was connected.')
    return line
  }

  #open(): Interface {
    const screen = process.stderr
    const echo = new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.#is_hidden) screen.write(chunk)
        done()
      },
    })
    const opened = createInterface({ input: process.stdin, output: echo, terminal: true, historySize: 0 })
    opened.on('line', (line) => {
      const waiting = this.#waiting
      this.#waiting = undefined
      if (waiting) waiting(line)
      else this.#lines.push(line)
    })
    // Ctrl-C, Ctrl-D and a closed terminal.
    opened.on('close', () => {
      this.#is_over = true
      this.#waiting?.(undefined)
    })
    return opened
  }
}
