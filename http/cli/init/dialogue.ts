import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandFailure } from '../terminal/failure.ts'
import { hint } from './steps.ts'

export type Question = {
  /** Without punctuation. */
  text: string
  /** Hint at the place where the answer is found. */
  hint?: string
  /** The option that gives the answer without a terminal. */
  option: string
  /** Taken for an empty answer. */
  otherwise?: string
  /** The answer is never shown: only the number of its characters. */
  is_secret?: boolean
  /** The reason why an answer is not taken; undefined for a good one. */
  problem?: (answer: string) => string | undefined
}

/**
 * Questions on a terminal. Without a terminal every question fails with the name of the option that answers it.
 *
 * 1. The terminal echoes nothing by itself from the beginning to `close`. A text appears only as the answer to a question
 *    that is not secret, so a secret that is pasted too early is not shown either.
 * 2. Lines that come before their question are kept, so several answers may be pasted at once. A refused answer drops
 *    the lines after it: they would answer the wrong questions.
 */
export class Dialogue {
  readonly is_possible = Boolean(process.stdin.isTTY && process.stderr.isTTY)
  readonly #screen = process.stderr
  readonly #interface: Interface | undefined
  readonly #left = new AbortController()
  #lines: string[] = []
  #waiting: ((line: string | undefined) => void) | undefined
  /** The question whose answer is being typed. */
  #asked: { prompt: string; is_secret: boolean; counted: number } | undefined

  constructor() {
    if (this.is_possible) this.#interface = this.#open()
  }

  /** Aborts at Ctrl-C, at Ctrl-D, and when the terminal goes away. */
  get left(): AbortSignal {
    return this.#left.signal
  }

  /** The given value of the option, or the answer to the question. @throws {CommandFailure} for a bad value, as `ask` */
  async answer(value: string | undefined, question: Question): Promise<string> {
    if (value === undefined) return this.ask(question)
    const reason = value === '' ? 'A value is needed.' : question.problem?.(value)
    if (reason !== undefined) throw new CommandFailure(`${question.option} is not right: ${reason}`, 2)
    return value
  }

  /** @throws {CommandFailure} when nobody can be asked, or nobody answers */
  async ask(question: Question): Promise<string> {
    const { text, option, otherwise, is_secret = false, problem = () => undefined } = question
    if (!this.is_possible)
      throw new CommandFailure(`${option} is missing: ${text[0]!.toLowerCase()}${text.slice(1)}.`, 2)
    if (question.hint) hint(question.hint)
    for (;;) {
      const prompt = `  ${text}${otherwise === undefined ? '' : ` [${otherwise}]`}: `
      const answer = (await this.#line(prompt, is_secret)).trim() || (otherwise ?? '')
      const reason = answer === '' ? 'An answer is needed.' : problem(answer)
      if (reason === undefined) return answer
      this.#lines = []
      hint(reason, 'red')
    }
  }

  /** An empty line counts as `otherwise`. Lines that were typed before the question do not answer it. */
  async agrees(text: string, otherwise: boolean): Promise<boolean> {
    this.#lines = []
    const answer = (await this.#line(`  ${text} ${otherwise ? '[Y/n]' : '[y/N]'} `, false)).trim()
    return otherwise ? !/^n(o)?$/i.test(answer) : /^y(es)?$/i.test(answer)
  }

  close(): void {
    this.#interface?.removeAllListeners('close').close()
  }

  async #line(prompt: string, is_secret: boolean): Promise<string> {
    const line = this.left.aborted ? undefined : await this.#next(prompt, is_secret)
    if (line === undefined) throw new CommandFailure('Ended.')
    return line
  }

  async #next(prompt: string, is_secret: boolean): Promise<string | undefined> {
    const early = this.#lines.shift()
    if (early !== undefined) {
      this.#screen.write(`${prompt}${is_secret ? counted(early) : early}\n`)
      return early
    }
    this.#asked = { prompt, is_secret, counted: 0 }
    const answered = new Promise<string | undefined>((resolve) => {
      this.#waiting = resolve
    })
    if (is_secret) {
      this.#screen.write(prompt)
      this.#count()
    } else {
      this.#interface!.setPrompt(prompt)
      this.#interface!.prompt(true)
    }
    const line = await answered
    if (line === undefined) this.#screen.write('\n')
    else if (is_secret) this.#screen.write(`\r${prompt}${counted(line)}\x1b[K\n`)
    return line
  }

  #open(): Interface {
    const echo = new Writable({
      write: (chunk, _encoding, done) => {
        if (this.#asked && !this.#asked.is_secret) this.#screen.write(chunk)
        done()
      },
    })
    const opened = createInterface({ input: process.stdin, output: echo, terminal: true, historySize: 0 })
    opened.on('line', (line) => {
      if (this.#waiting) this.#resolve(line)
      else this.#lines.push(line)
    })
    // Ctrl-C, Ctrl-D and a closed terminal.
    opened.on('close', () => {
      this.#left.abort()
      this.#resolve(undefined)
    })
    process.stdin.on('keypress', () => setImmediate(() => this.#count()))
    return opened
  }

  #resolve(line: string | undefined): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    this.#asked = undefined
    waiting?.(line)
  }

  /** Shows that characters of a secret have come. */
  #count(): void {
    const asked = this.#asked
    if (!asked?.is_secret) return
    const line = this.#interface!.line
    if (line.length === asked.counted) return
    asked.counted = line.length
    this.#screen.write(`\r${asked.prompt}${line === '' ? '' : counted(line)}\x1b[K`)
  }
}

function counted(secret: string): string {
  const { length } = [...secret.trim()]
  return `(${length} ${length === 1 ? 'character' : 'characters'})`
}
