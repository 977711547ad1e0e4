/**
 * The resources that processes use, read from /proc: CPU time with that of their descendants, and the peak of their
 * memory.
 */
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** Linux only: elsewhere every figure is NaN and prints as a dash. */
type Stat = { pid: number; parent: number; ticks: number }

/** Returns the CPU seconds that each named process and its descendants, ended ones included, have used so far. */
export function cpuSeconds(processes: Record<string, number>): Record<string, number> {
  const stats = allStats()
  const used = (pid: number) => family(stats, pid).reduce((sum, stat) => sum + stat.ticks, 0) / TICKS_PER_SECOND
  return Object.fromEntries(
    Object.entries(processes).map(([name, pid]) => [name, stats.length ? used(pid) : Number.NaN]),
  )
}

/** CPU seconds that the whole machine has been busy since it started, time stolen by its host included. */
export function machineSeconds(): number {
  const [user, nice, system, , , irq, softirq, steal] = readText('/proc/stat')
    .split('\n')[0]!
    .split(/ +/)
    .slice(1)
    .map(Number)
  return (
    [user, nice, system, irq, softirq, steal].reduce<number>((sum, ticks) => sum + (ticks ?? Number.NaN), 0) /
    TICKS_PER_SECOND
  )
}

/**
 * Peak resident MiB of each named process and its living descendants: the sum of their high-water marks, with shared
 * memory (PostgreSQL's buffers) counted once.
 */
export function peakMebibytes(processes: Record<string, number>): Record<string, number> {
  const stats = allStats()
  const peak = (pid: number) => {
    let own = 0
    let shared = 0
    for (const { pid: member } of family(stats, pid)) {
      const status = readText(`/proc/${member}/status`)
      const shmem = kibibytes(status, 'RssShmem')
      own += Math.max(0, kibibytes(status, 'VmHWM') - shmem)
      shared = Math.max(shared, shmem)
    }
    return (own + shared) / 1024
  }
  return Object.fromEntries(
    Object.entries(processes).map(([name, pid]) => [name, stats.length ? peak(pid) : Number.NaN]),
  )
}

/** MiB of one process (PSS): a page that several processes share counts for its part in each. NaN where Linux is not. */
export function proportionalMebibytes(pid: number): number {
  const pss = /^Pss:\s+(\d+)/m.exec(readText(`/proc/${pid}/smaps_rollup`))?.[1]
  return pss === undefined ? Number.NaN : Number(pss) / 1024
}

/** KiB that one process has in memory. */
export function residentKibibytes(pid: number): number {
  return kibibytes(readText(`/proc/${pid}/status`), 'VmRSS')
}

/** The process and its living descendants. */
export function familyOf(pid: number): number[] {
  return family(allStats(), pid).map((stat) => stat.pid)
}

function family(stats: Stat[], root: number): Stat[] {
  const members = stats.filter((stat) => stat.pid === root)
  for (let at = 0; at < members.length; at++) {
    members.push(...stats.filter((stat) => stat.parent === members[at]?.pid))
  }
  return members
}

function allStats(): Stat[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => parse(Number(name), readText(`/proc/${name}/stat`)))
    .filter((stat) => stat !== undefined)
}

/** proc(5): after the name in brackets come state, parent, …; user, system, and the ended children's user and system ticks. */
function parse(pid: number, text: string): Stat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 15) return undefined
  const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0)
  return { pid, parent: Number(fields[1]), ticks }
}

function kibibytes(status: string, field: string): number {
  return Number(status.match(new RegExp(`^${field}:\\s+(\\d+)`, 'm'))?.[1] ?? 0)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
