/**
 * The process in which one document is parsed, because parsers of PDF and HTML may be made to take any time and memory.
 *
 * 1. The kernel bounds its memory (`RLIMIT_DATA`, which counts the heap and array buffers alike, so that no single
 *    allocation exceeds it) and its processor time. Where the kernel does not count, as on macOS, the limits of V8's
 *    heap and of the time remain.
 * 2. It inherits no environment and no descriptor but its pipes. It may read its own code, and may write no file and
 *    start no process or thread. It has no network: `confined/deny.ts` takes the means away, Unix sockets and signals
 *    included, and the kernel gives it a network of its own without any other node, where users may make namespaces
 *    (`unshare`). Containers and some distributions forbid that; then the first remains.
 * 3. It serves one document, so no document can spoil the conversion of another.
 * 4. It runs at a low priority, so that it delays no request, and ends with its input, with the signal, or at the
 *    latest with its processor time, even when this process was killed.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Converted } from './converted.ts'
import type { DocumentType } from './document_type.ts'
import { ConversionFailed, isConversionFailure } from './failure.ts'

export type Confines = {
  /** Data segments of the process: heap, buffers and stacks of threads. */
  memory_mib: number
  /** Seconds of processor time, of all threads together. */
  cpu_s: number
  /**
   * Milliseconds until the process is killed, whatever it did. Longer than `cpu_s` takes on a busy machine, so that a
   * document which is killed for it is tried again.
   */
  limit_ms: number
}

export type ConfinedJob = {
  type: DocumentType
  /** Address of the document. */
  url: string | null
  /** Encoding that came with the document, as its sender names it. */
  charset: string | null
  /** Maximum characters. */
  longest: number
}

/** The answer of the process: one line of JSON. */
export type ConfinedAnswer = Content | { failure: string }

type Content = Omit<Converted, 'type'>

const SCRIPT = fileURLToPath(new URL('./confined/main.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Sets the limits, then becomes the program. A limit that the system does not know is left out, and so are namespaces. */
const SHELL = `ulimit -c 0 2>/dev/null
ulimit -d "$1" 2>/dev/null
ulimit -H -t "$(($2 + 2))" 2>/dev/null
ulimit -S -t "$2" 2>/dev/null
shift 2
alone=
unshare -Un true 2>/dev/null && alone='unshare -Un'
exec $alone nice -n 5 "$@"`
/** Signals by which a process ends that exceeded a limit. A kill by someone else is not among them. */
const EXCEEDED: ReadonlySet<NodeJS.Signals> = new Set(['SIGXCPU', 'SIGABRT', 'SIGTRAP', 'SIGSEGV', 'SIGBUS', 'SIGILL'])
/** Exit code of Node.js for a stack that is used up in native code, and of V8 out of memory. */
const EXCEEDED_CODES = new Set([128 + constants.signals.SIGABRT, 128 + constants.signals.SIGTRAP])
const MAX_ERROR_BYTES = 4_096

/**
 * Converts the document that `source` brings.
 *
 * @throws {ConversionFailed} for the document; other errors are those of `source`, of `signal` and of the machine
 */
export function convertConfined(
  source: Readable,
  job: ConfinedJob,
  { memory_mib, cpu_s, limit_ms }: Confines,
  signal?: AbortSignal,
): Promise<Content> {
  return new Promise((resolve, reject) => {
    const child = spawnConfined([SCRIPT, JSON.stringify(job)], { memory_mib, cpu_s })
    /** Bytes of the answer: every character may need six as an escape. */
    const max_output = 6 * job.longest + 16_384
    const output: Buffer[] = []
    let size = 0
    let stderr = ''
    let cause: Error | undefined

    const stop = (reason: Error) => {
      cause ??= reason
      child.kill('SIGKILL')
    }
    const onAbort = () => stop(signal!.reason as Error)
    const timer = setTimeout(() => stop(new Error('the conversion did not get enough of the processor')), limit_ms)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })

    source.on('error', stop)
    // The process may end before it has read everything.
    child.stdin.on('error', () => source.destroy())
    source.pipe(child.stdin)
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > max_output) stop(new ConversionFailed('too_long'))
      else output.push(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(0, MAX_ERROR_BYTES)
    })
    child.on('error', (error) => {
      cause ??= error
    })
    child.on('close', (code, killed_by) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      source.off('error', stop).on('error', () => {})
      source.destroy()
      if (cause) return reject(cause)
      const is_exceeded = killed_by ? EXCEEDED.has(killed_by) : EXCEEDED_CODES.has(code ?? 0)
      if (is_exceeded) return reject(new ConversionFailed('too_complex'))
      if (code !== 0) return reject(new Error(`the conversion ended with ${killed_by ?? code}: ${stderr}`))
      try {
        resolve(accepted(JSON.parse(Buffer.concat(output).toString()) as ConfinedAnswer))
      } catch (error) {
        reject(error)
      }
    })
  })
}

/** Starts Node.js in the confines. `program`: its arguments. */
export function spawnConfined(program: string[], { memory_mib, cpu_s }: Pick<Confines, 'memory_mib' | 'cpu_s'>) {
  const limits = [String(memory_mib * 1024), String(cpu_s)]
  const command = ['-c', SHELL, 'parley-convert', ...limits, process.execPath, ...flags(memory_mib), ...program]
  return spawn('/bin/sh', command, { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'pipe'] })
}

function accepted(answer: ConfinedAnswer): Content {
  if (!('failure' in answer)) return answer
  throw new ConversionFailed(isConversionFailure(answer.failure) ? answer.failure : 'broken')
}

function flags(memory_mib: number): string[] {
  return [
    `--max-old-space-size=${Math.floor(memory_mib * 0.6)}`,
    '--disallow-code-generation-from-strings',
    '--permission',
    ...['node_modules/*', 'actors/*', 'package.json'].map((path) => `--allow-fs-read=${ROOT}${path}`),
    '--no-warnings',
  ]
}
