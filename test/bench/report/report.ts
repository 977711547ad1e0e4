import type { Row } from '../compare.ts'
import type { Verdict } from './goal.ts'
import type { Machine } from './machine.ts'

/** All results of a benchmark, as printed and as written to JSON. `not_run` gives the reason per peer. */
export type Report = {
  id: string
  summary: string
  machine: Machine
  rounds: number
  seconds: number
  rows: Row[]
  verdicts: Verdict[]
  not_run: Record<string, string>
}

/** The rows and verdicts of a report, scenario by scenario, in order of appearance. */
export function scenariosOf({ rows, verdicts }: Report): { scenario: string; rows: Row[]; verdicts: Verdict[] }[] {
  const names = new Set([...rows, ...verdicts].map(({ scenario }) => scenario))
  return [...names].map((scenario) => ({
    scenario,
    rows: rows.filter((row) => row.scenario === scenario),
    verdicts: verdicts.filter((verdict) => verdict.scenario === scenario),
  }))
}
