import type { Row } from '../compare.ts'
import { quantile, say, spreadOf } from './figures.ts'
import type { Verdict } from './goal.ts'
import type { Machine } from './machine.ts'

/** The columns of every table. */
export const COLUMNS = ['', 'ops/s', 'min–max', 'p50 ms', 'p99 ms', 'p999 ms', 'CPU s/1000 ops', 'peak MiB', 'others']

/**
 * Returns one row as text: medians of the rounds, the spread of the throughput, CPU and memory by process, and the load
 * of other processes on the machine.
 */
export function cellsOf(row: Row): string[] {
  const rate = spreadOf(row.rounds.map((round) => round.operations / round.seconds))
  const middle = (pick: 'p50_ms' | 'p99_ms' | 'p999_ms') =>
    quantile(
      row.rounds.map((round) => round[pick] ?? Number.NaN),
      0.5,
    )
  const median = (name: string) =>
    quantile(
      row.cpu.map((round) => round[name]!),
      0.5,
    )
  const cpu = Object.keys(row.cpu[0] ?? {}).map((name) => [name, median(name)] as const)
  const total = cpu.reduce((sum, [, seconds]) => sum + seconds, 0)
  return [
    row.peer,
    say(rate.median),
    `${say(rate.min)}–${say(rate.max)}`,
    say(middle('p50_ms')),
    say(middle('p99_ms')),
    say(middle('p999_ms')),
    `${say(total)} = ${cpu.map(([name, seconds]) => `${name} ${say(seconds)}`).join(' + ')}`,
    Object.entries(row.peak_mib)
      .map(([name, mib]) => `${name} ${say(mib)}`)
      .join(', '),
    row.noise.length > 0 ? `${Math.round(quantile(row.noise, 0.5) * 100)} %` : '–',
  ]
}

/** Returns the other figures of a peer, one sentence each. */
export function sayFigures({ peer, rounds }: Row): string[] {
  return Object.keys(rounds[0]?.figures ?? {}).map((name) => {
    const { median, min, max } = spreadOf(rounds.map(({ figures }) => figures?.[name] ?? Number.NaN))
    return `${peer}: ${name}: ${say(median)} (${say(min)}–${say(max)})`
  })
}

/** Returns the verdict on a target as text. */
export function sayVerdict({ text, reached, met }: Verdict): string {
  if (!reached) return `target: ${text}: not measured`
  return `target: ${text}: ${say(reached.median)} (${say(reached.min)}–${say(reached.max)}), ${met ? 'met' : 'not met'}`
}

/** Returns the description of the machine as text. */
export function sayMachine({ date, cpu, cores, memory_gib, system, node, fsync_ms }: Machine): string {
  const day = date.slice(0, 16).replace('T', ' ')
  return `${day} UTC, ${cpu}, ${cores} cores, ${memory_gib} GiB, ${system}, Node ${node}, a synced 4 KiB write takes ${say(fsync_ms)} ms`
}
