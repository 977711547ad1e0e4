/**
 * Threads for work that would block the event loop: each job has a time limit, and a thread whose job exceeds it is
 * ended and replaced. For input from strangers that a library parses.
 *
 * The script posts one message when it has started, then one answer for each message it gets. Its output is dropped.
 */
import { Worker } from 'node:worker_threads'

export type ThreadPoolOptions = {
  /** The script that every thread runs. */
  script: URL
  /** Maximum number of threads. They are started on demand. */
  threads: number
  /** Maximum number of jobs that wait for a thread. */
  waiting: number
  /** Heap of each thread in MiB. */
  heap_mib: number
}

/**
 * - `busy`     too many jobs wait; try again later
 * - `start`    no thread could be started, so the job was not tried
 * - `timeout`  the job exceeded its time limit
 * - `broken`   the thread broke on the job: an error, or memory
 * - `closed`   the pool was closed
 */
export type JobFailure = 'busy' | 'start' | 'timeout' | 'broken' | 'closed'

export class JobFailed extends Error {
  readonly reason: JobFailure

  constructor(reason: JobFailure, options?: ErrorOptions) {
    super(`The job was not done: ${reason}.`, options)
    this.name = 'JobFailed'
    this.reason = reason
  }
}

/** Maximum time for loading the script, in milliseconds. It does not count towards a job's time. */
const START_MS = 30_000

type Job<Output> = { input: unknown; limit_ms: number; resolve(output: Output): void; reject(error: JobFailed): void }

export class ThreadPool<Input, Output> {
  readonly #options: ThreadPoolOptions
  readonly #threads = new Set<Thread>()
  readonly #idle: Thread[] = []
  readonly #waiting: Job<Output>[] = []
  #closed = false

  constructor(options: ThreadPoolOptions) {
    this.#options = options
  }

  /** `limit_ms` counts from when a thread begins the job. Rejects with `JobFailed`. */
  run(input: Input, limit_ms: number): Promise<Output> {
    return new Promise((resolve, reject) => {
      const { threads, waiting } = this.#options
      const is_full = this.#idle.length === 0 && this.#threads.size >= threads && this.#waiting.length >= waiting
      if (this.#closed || is_full) return reject(new JobFailed(this.#closed ? 'closed' : 'busy'))
      this.#waiting.push({ input, limit_ms, resolve, reject })
      this.#proceed()
    })
  }

  /** Jobs that are not finished reject with `closed`. */
  async close(): Promise<void> {
    this.#closed = true
    for (const job of this.#waiting.splice(0)) job.reject(new JobFailed('closed'))
    await Promise.all([...this.#threads].map((thread) => thread.end(new JobFailed('closed'))))
  }

  #proceed(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#idle.pop() ?? (this.#threads.size < this.#options.threads ? this.#start() : undefined)
      if (!thread) return
      void this.#give(thread, this.#waiting.shift()!)
    }
  }

  #start(): Thread {
    const thread = new Thread(this.#options)
    this.#threads.add(thread)
    return thread
  }

  async #give(thread: Thread, { input, limit_ms, resolve, reject }: Job<Output>): Promise<void> {
    try {
      resolve((await thread.run(input, limit_ms)) as Output)
      this.#idle.push(thread)
    } catch (error) {
      this.#threads.delete(thread)
      reject(error as JobFailed)
    }
    this.#proceed()
  }
}

class Thread {
  readonly #worker: Worker
  readonly #started: Promise<unknown>
  /** Ends the wait for the next message. */
  #fail: ((error: JobFailed) => void) | undefined
  #resolve: ((message: unknown) => void) | undefined

  constructor({ script, heap_mib }: ThreadPoolOptions) {
    const silent = { stdout: true, stderr: true }
    this.#worker = new Worker(script, { ...silent, resourceLimits: { maxOldGenerationSizeMb: heap_mib } })
    this.#worker.stdout.resume()
    this.#worker.stderr.resume()
    this.#worker.on('message', (message) => this.#resolve?.(message))
    this.#worker.on('error', (cause) => this.#fail?.(new JobFailed('broken', { cause })))
    this.#worker.on('exit', () => this.#fail?.(new JobFailed('broken')))
    this.#started = this.#next(START_MS).catch(({ reason, cause }: JobFailed) => {
      throw new JobFailed(reason === 'closed' ? 'closed' : 'start', { cause })
    })
  }

  /** Rejects with `JobFailed`; then the thread is gone. */
  async run(input: unknown, limit_ms: number): Promise<unknown> {
    // Keep the process alive until its jobs are done, however many threads it has.
    this.#worker.ref()
    try {
      await this.#started
      this.#worker.postMessage(input)
      const output = await this.#next(limit_ms)
      this.#worker.unref()
      return output
    } catch (error) {
      await this.#worker.terminate()
      throw error
    }
  }

  async end(reason: JobFailed): Promise<void> {
    this.#fail?.(reason)
    await this.#worker.terminate()
  }

  #next(limit_ms: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail?.(new JobFailed('timeout')), limit_ms)
      const done = () => {
        clearTimeout(timer)
        this.#resolve = undefined
        this.#fail = undefined
      }
      this.#resolve = (message) => {
        done()
        resolve(message)
      }
      this.#fail = (error) => {
        done()
        reject(error)
      }
    })
  }
}
