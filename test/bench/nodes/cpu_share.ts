/** A fixed share of the machine's CPU for some processes, by the bandwidth control of Linux's control groups. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Short, so that a process that has used its share waits milliseconds for more. */
const PERIOD_US = 20_000

/** The two layouts of control groups: the parent directory, and the file that a share is written to. */
const FIRST = '/sys/fs/cgroup/cpu'
const SECOND = '/sys/fs/cgroup'

export class CpuShare {
  readonly cores: number
  readonly #directory: string

  /** Throws where this account may not make control groups. */
  constructor(name: string, cores: number) {
    const is_first = existsSync(join(FIRST, 'cpu.cfs_quota_us'))
    this.cores = cores
    this.#directory = join(is_first ? FIRST : SECOND, `parley-${process.pid}-${name}`)
    const quota = Math.round(cores * PERIOD_US)
    try {
      mkdirSync(this.#directory)
      if (is_first) {
        this.#write('cpu.cfs_period_us', PERIOD_US)
        this.#write('cpu.cfs_quota_us', quota)
      } else this.#write('cpu.max', `${quota} ${PERIOD_US}`)
    } catch (error) {
      throw new Error(`limiting CPU needs root and control groups with a CPU controller: ${(error as Error).message}`)
    }
  }

  /** Takes in these processes. What they start later belongs to the share, too. */
  limit(pids: Iterable<number>): void {
    for (const pid of pids) {
      try {
        this.#write('cgroup.procs', pid)
      } catch (error) {
        // A process that has ended needs no share.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
  }

  /** Number of periods so far, and of those in which the processes used up their share and had to wait. */
  periods(): { all: number; throttled: number } {
    const text = readFileSync(join(this.#directory, 'cpu.stat'), 'utf8')
    const figure = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
    return { all: figure('nr_periods'), throttled: figure('nr_throttled') }
  }

  /** Call when its processes have ended. */
  remove(): void {
    rmdirSync(this.#directory)
  }

  #write(file: string, value: string | number): void {
    writeFileSync(join(this.#directory, file), String(value))
  }
}
