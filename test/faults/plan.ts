/** The fault and the work of each round, drawn from one seed. Every cell comes once before any comes again. */
import { between, chance, shuffled } from './chance.ts'
import { faults } from './faults/mod.ts'
import { workloads } from './workloads.ts'

export type Round = { number: number; seed: number; fault: string; workload: string }

/** All pairs of fault and workload, such as `node:SIGKILL:send`. */
export const cells = Object.keys(faults).flatMap((fault) => Object.keys(workloads).map((one) => `${fault}:${one}`))

/** Returns the cells that a word names: a whole cell, the beginning of one (`node`, `node:SIGSTOP`), or a workload. */
export function cellsNamed(only: string): string[] {
  return cells.filter((cell) => cell === only || cell.startsWith(`${only}:`) || cell.endsWith(`:${only}`))
}

/** Returns the first `count` rounds of a seed. */
export function planRounds(seed: number, count: number, among: readonly string[] = cells): Round[] {
  const random = chance(seed)
  const rounds: Round[] = []
  while (rounds.length < count && among.length > 0) {
    for (const cell of shuffled(random, among)) {
      const at = cell.lastIndexOf(':')
      const [fault, workload] = [cell.slice(0, at), cell.slice(at + 1)]
      rounds.push({ number: rounds.length + 1, seed: between(random, 0, 999_999_999), fault, workload })
    }
  }
  return rounds.slice(0, count)
}
