import { JobFailed, ThreadPool, type ThreadPoolOptions } from './thread_pool.ts'

export type IdlePoolOptions = ThreadPoolOptions & {
  /** The threads are ended after this time without a job, in milliseconds. */
  idle_ms: number
}

/** Threads that run only while there are jobs. They are for scripts whose data take much memory. */
export class IdlePool<Input, Output> {
  readonly #options: IdlePoolOptions
  #pool: ThreadPool<Input, Output> | undefined
  #under_way = 0
  #idle: NodeJS.Timeout | undefined
  #is_closed = false

  constructor(options: IdlePoolOptions) {
    this.#options = options
  }

  /** `limit_ms` counts from when a thread begins the job. Rejects with `JobFailed`. */
  async run(input: Input, limit_ms: number): Promise<Output> {
    if (this.#is_closed) throw new JobFailed('closed')
    clearTimeout(this.#idle)
    this.#under_way += 1
    this.#pool ??= new ThreadPool(this.#options)
    try {
      return await this.#pool.run(input, limit_ms)
    } finally {
      this.#under_way -= 1
      if (this.#under_way === 0 && !this.#is_closed)
        this.#idle = setTimeout(() => void this.#end(), this.#options.idle_ms).unref()
    }
  }

  async close(): Promise<void> {
    this.#is_closed = true
    await this.#end()
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle)
    const pool = this.#pool
    this.#pool = undefined
    await pool?.close()
  }
}
