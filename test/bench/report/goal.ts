import type { Row } from '../compare.ts'
import { type Spread, spreadOf } from './figures.ts'

/** A target: `measure` gives one value a round from the rows of its scenario. */
export type Goal = {
  scenario: string
  text: string
  bound: 'at least' | 'at most'
  value: number
  measure(rows: Row[]): number[] | undefined
}

/** The verdict on a goal. `reached` is undefined when a peer it needs did not run. */
export type Verdict = { scenario: string; text: string; reached?: Spread; met?: boolean }

/** Our throughput over a peer's, round by round. */
export function ratioGoal(scenario: string, peer: string, value: number): Goal {
  const measure = (rows: Row[]) => {
    const [mine, theirs] = [ratesOf(rows, 'parley'), ratesOf(rows, peer)]
    return mine && theirs && mine.map((rate, round) => rate / (theirs[round] ?? Number.NaN))
  }
  return { scenario, text: `throughput at least ${value} × ${peer}`, bound: 'at least', value, measure }
}

/** Our throughput in operations per second. */
export function rateGoal(scenario: string, value: number): Goal {
  const measure = (rows: Row[]) => ratesOf(rows, 'parley')
  return { scenario, text: `at least ${value.toLocaleString('en-GB')} operations/s`, bound: 'at least', value, measure }
}

/**
 * A peer's CPU for an operation divided by ours, round by round, without the load's own CPU. A busy machine changes
 * this figure least.
 */
export function cpuRatioGoal(scenario: string, peer: string, value: number): Goal {
  const cost = (rows: Row[], name: string) =>
    find(rows, name)?.cpu.map(({ load: _, ...servers }) => Object.values(servers).reduce((sum, each) => sum + each, 0))
  const measure = (rows: Row[]) => {
    const [mine, theirs] = [cost(rows, 'parley'), cost(rows, peer)]
    return mine && theirs && mine.map((seconds, round) => (theirs[round] ?? Number.NaN) / seconds)
  }
  return { scenario, text: `${peer} takes at least ${value} × our CPU an operation`, bound: 'at least', value, measure }
}

/** Our 99th percentile of latency in milliseconds. */
export function p99Goal(scenario: string, value: number): Goal {
  const measure = (rows: Row[]) => find(rows, 'parley')?.rounds.map((round) => round.p99_ms)
  return { scenario, text: `p99 at most ${value} ms`, bound: 'at most', value, measure }
}

/** Our median latency over a peer's, round by round. */
export function p50RatioGoal(scenario: string, peer: string, value: number): Goal {
  const measure = (rows: Row[]) => {
    const [mine, theirs] = [find(rows, 'parley')?.rounds, find(rows, peer)?.rounds]
    return mine && theirs && mine.map(({ p50_ms }, round) => p50_ms / (theirs[round]?.p50_ms ?? Number.NaN))
  }
  return { scenario, text: `p50 at most ${value} × ${peer}`, bound: 'at most', value, measure }
}

/** Our 99th percentile over a peer's, round by round. */
export function p99RatioGoal(scenario: string, peer: string, value: number): Goal {
  const measure = (rows: Row[]) => {
    const [mine, theirs] = [find(rows, 'parley')?.rounds, find(rows, peer)?.rounds]
    return mine && theirs && mine.map(({ p99_ms }, round) => p99_ms / (theirs[round]?.p99_ms ?? Number.NaN))
  }
  return { scenario, text: `p99 at most ${value} × ${peer}`, bound: 'at most', value, measure }
}

/** CPU of an operation in microseconds, all our processes together. */
export function cpuGoal(scenario: string, value: number): Goal {
  const measure = (rows: Row[]) =>
    find(rows, 'parley')?.cpu.map((round) => 1000 * Object.values(round).reduce((sum, seconds) => sum + seconds, 0))
  return { scenario, text: `at most ${value} µs of CPU an operation`, bound: 'at most', value, measure }
}

/** A figure of a peer's own that must not exceed `value`. */
export function figureGoal(scenario: string, peer: string, figure: string, value: number): Goal {
  const measure = (rows: Row[]) => find(rows, peer)?.rounds.map(({ figures }) => figures?.[figure] ?? Number.NaN)
  return { scenario, text: `${figure} at most ${value}`, bound: 'at most', value, measure }
}

/** Judges a goal by the median of its rounds. */
export function judge(goal: Goal, rows: Row[]): Verdict {
  const values = goal.measure(rows.filter((row) => row.scenario === goal.scenario))
  if (!values?.length) return { scenario: goal.scenario, text: goal.text }
  const reached = spreadOf(values)
  const met = goal.bound === 'at least' ? reached.median >= goal.value : reached.median <= goal.value
  return { scenario: goal.scenario, text: goal.text, reached, met }
}

/** Operations per second of each round. */
export function ratesOf(rows: Row[], peer: string): number[] | undefined {
  return find(rows, peer)?.rounds.map((round) => round.operations / round.seconds)
}

function find(rows: Row[], peer: string): Row | undefined {
  return rows.find((row) => row.peer === peer)
}
