/**
 * Threads for work that would block the event loop: each job has a time limit, and a thread whose job exceeds it is
 * ended and replaced. For input from strangers that a library parses.
 *
 * Threads are shared fairly among owners (`fair_slots.ts`). With several threads, one owner's jobs never hold all of them.
 *
 * The script posts one message when it has started, then one answer for each message it gets. Its output is dropped.
 */
import { Worker } from 'node:worker_threads'
import { FairSlots } from './fair_slots.ts'

export type ThreadPoolOptions = {
  /** The script that every thread runs. */
  script: URL
  /** Maximum number of threads. They are started on demand. */
  threads: number
  /** Maximum number of jobs that wait for a thread, and of one owner's. Default: all may be of one owner. */
  waiting: number
  waiting_of_one?: number
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

export class ThreadPool<Input, Output> {
  readonly #options: ThreadPoolOptions
  readonly #slots: FairSlots
  readonly #threads = new Set<Thread>()
  readonly #idle: Thread[] = []
  readonly #closing = new AbortController()

  constructor(options: ThreadPoolOptions) {
    this.#options = options
    const { threads, waiting, waiting_of_one = waiting } = options
    const max_of_one = Math.max(1, threads - 1)
    this.#slots = new FairSlots(threads, { max_of_one, max_waiting: waiting, max_waiting_of_one: waiting_of_one })
  }

  /**
   * `limit_ms` counts from when a thread begins the job. `owner`: the tenant, or part of one, among which threads are
   * shared. Rejects with `JobFailed`.
   */
  async run(input: Input, limit_ms: number, owner = ''): Promise<Output> {
    const { signal } = this.#closing
    const free = await this.#slots.take(owner, signal).catch(() => {
      throw new JobFailed(signal.aborted ? 'closed' : 'busy')
    })
    if (signal.aborted) throw new JobFailed('closed')
    const thread = this.#idle.pop() ?? this.#start()
    try {
      const output = (await thread.run(input, limit_ms)) as Output
      this.#idle.push(thread)
      return output
    } catch (error) {
      this.#threads.delete(thread)
      throw error
    } finally {
      free()
    }
  }

  /** Jobs that are not finished reject with `closed`. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#threads].map((thread) => thread.end(new JobFailed('closed'))))
  }

  #start(): Thread {
    const thread = new Thread(this.#options)
    this.#threads.add(thread)
    return thread
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
