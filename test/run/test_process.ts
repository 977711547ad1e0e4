/**
 * A process that runs test files one after another. The files share the modules that are loaded and what V8 has compiled
 * of them, which costs more than most files do; everything else each file makes for itself.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { root } from '../support/root.ts'
import { isShared, type Shared } from '../support/shared.ts'

export type FileResult = {
  file: string
  passed: number
  failed: number
  seconds: number
  /** Used by the process of the test and by those that the file started, without the servers that all files share. */
  cpu_seconds: number
  /** For people: the failed tests, the comments, and all of the standard error. Empty when there is nothing to say. */
  report: string
}

type PipedProcess = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable }

/** Seconds after which a file is killed, even if it asked for more than the usual with `t.setTimeout`. */
const KILLED_AFTER_S = 900
const PROGRAM = fileURLToPath(new URL('run_in_process.ts', import.meta.url))
/** Files after which a process ends: each leaves some 20 MB that V8 and tap keep. */
const FILES = 80
/** The last line that the process writes for a file. */
const END = /^# end of file: (\{.*\})\n/m
/** Maximum characters of that line. */
const END_LENGTH = 100

export class TestProcess {
  readonly #child: PipedProcess
  readonly #closed: Promise<void>
  #output = ''
  #errors = ''
  #ended: (() => void) | null = null
  #is_usable = true
  #files = 0

  /** `answer`: how the run answers the process's requests for what several processes share. */
  constructor(env: NodeJS.ProcessEnv, signal: AbortSignal, answer: (wanted: Shared) => Promise<unknown>) {
    this.#child = spawn(process.execPath, [PROGRAM], {
      cwd: root,
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
      env,
      signal,
      killSignal: 'SIGTERM',
    }) as PipedProcess
    this.#child.on('message', (wanted: unknown) => {
      if (!isShared(wanted)) return
      const reply = (message: object) => this.#child.connected && this.#child.send({ wanted, ...message })
      answer(wanted).then(
        (value) => reply({ value }),
        (error: Error) => reply({ error: error.message }),
      )
    })
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.#output += chunk
      if (END.test(this.#output.slice(-END_LENGTH))) this.#ended?.()
    })
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => (this.#errors += chunk))
    this.#child.stdin.on('error', () => {})
    this.#child.on('error', (error) => (this.#errors += `${error.message}\n`))
    this.#closed = new Promise((resolve) => {
      this.#child.once('close', () => {
        this.#is_usable = false
        this.#ended?.()
        resolve()
      })
    })
  }

  /** False after a file that failed, which may have left anything, and after many files. */
  get is_usable(): boolean {
    return this.#is_usable && this.#files < FILES
  }

  /** Never rejects. One file at a time. */
  async run(file: string): Promise<FileResult> {
    this.#files++
    const began = performance.now()
    const ended = new Promise<void>((resolve) => (this.#ended = resolve))
    const overdue = setTimeout(() => this.#child.kill('SIGKILL'), 1000 * KILLED_AFTER_S)
    if (this.#is_usable) this.#child.stdin.write(`${file}\n`)
    else this.#ended!()
    await ended
    clearTimeout(overdue)
    const output = this.#output
    const end = END.exec(output)
    const { passed, failed, cpu_seconds } = end ? JSON.parse(end[1]!) : { passed: 0, failed: 0, cpu_seconds: 0 }
    // A process that ended within a file counts as a failure, whatever passed before. So does a file without a test.
    const ended_with = () => `It ended with ${this.#child.signalCode ?? this.#child.exitCode}.\n`
    const fault = !end ? ended_with() : passed + failed === 0 ? 'It has no tests.\n' : ''
    const report = (fault || failed > 0 ? reportOf(output) + fault : '') + this.#errors
    this.#output = this.#errors = ''
    if (fault || failed > 0) this.#is_usable = false
    const seconds = (performance.now() - began) / 1000
    return { file, passed, failed: fault ? Math.max(failed, 1) : failed, seconds, cpu_seconds, report }
  }

  /** Ends the process, kindly first. */
  async end(): Promise<void> {
    this.#child.stdin.end()
    const overdue = setTimeout(() => this.#child.kill('SIGKILL'), 10_000)
    await this.#closed
    clearTimeout(overdue)
  }
}

/** The failed tests with what tap says of them, and all comments. */
function reportOf(output: string): string {
  const kept: string[] = []
  let inside: string | undefined
  for (const line of output.split('\n')) {
    const indent = /^ */.exec(line)![0]
    // The report of a failed test includes the one of the tests around it.
    if (inside === undefined && /^ *not ok (?!.* # time=)/.test(line)) inside = indent
    else if (inside !== undefined && !line.startsWith(`${inside}  `) && line !== '') inside = undefined
    if (inside !== undefined || /^ *(?:not ok|Bail out|# (?!Subtest|time=|\{ total))/.test(line)) kept.push(line)
  }
  return kept.length === 0 ? '' : `${kept.join('\n').trimEnd()}\n`
}
