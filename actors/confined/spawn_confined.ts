/**
 * A process for one file of a stranger, because parsers of documents and pictures may be made to take any time and memory,
 * and worse.
 *
 * 1. The kernel bounds its memory (`RLIMIT_DATA`, which counts the heap and array buffers alike, so that no single
 *    allocation exceeds it) and its processor time. Where the kernel does not count, as on macOS, the limits of V8's
 *    heap and of the time remain.
 * 2. It inherits no environment and no descriptor but its pipes. It may read its own code, and may write no file and
 *    start no process or thread. It has no network: `deny.ts` takes the means away, Unix sockets and signals
 *    included, and the kernel gives it a network of its own without any other node, where users may make namespaces
 *    (`unshare`). Containers and some distributions forbid that; then the first remains.
 * 3. It serves one file, so no file can spoil the work on another.
 * 4. It runs at a low priority, so that it delays no request, and ends with its input, with the signal, or at the
 *    latest with its processor time, even when this process was killed.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type ConfinedLimits = {
  /** Data segments of the process: heap, buffers and stacks of threads. */
  memory_mib: number
  /** Seconds of processor time, of all threads together. */
  cpu_s: number
  /** True for a program with a library in native code, which the permissions of Node.js do not bind. Default false. */
  has_addons?: boolean
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Sets the limits, then becomes the program. A limit that the system does not know is left out, and so are namespaces. */
const SHELL = `ulimit -c 0 2>/dev/null
ulimit -d "$1" 2>/dev/null
ulimit -H -t "$(($2 + 2))" 2>/dev/null
ulimit -S -t "$2" 2>/dev/null
shift 2
alone=
unshare -Un true 2>/dev/null && alone='unshare -Un'
exec $alone nice -n 5 "$@"`

/** Starts Node.js in the confines. `program`: its arguments. */
export function spawnConfined(program: string[], { memory_mib, cpu_s, has_addons = false }: ConfinedLimits) {
  const limits = [String(memory_mib * 1024), String(cpu_s)]
  const node = [process.execPath, ...flags(memory_mib), ...(has_addons ? ['--allow-addons'] : [])]
  const command = ['-c', SHELL, 'parley-confined', ...limits, ...node, ...program]
  return spawn('/bin/sh', command, { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'pipe'] })
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
