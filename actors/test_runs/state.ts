import type { Turn } from '../../runtime/mod.ts'
import type { TestRunRow, UnfinishedTestRun } from '../../storage/mod.ts'

/** A run that has not ended. */
export type ActiveRun = {
  row: TestRunRow
  /** Positions that were not begun, in their order. */
  waiting: number[]
  under_way: Set<number>
  /** Tries in a row that this node could not make. */
  faults: number
  /** Ends what is under way. */
  abort: AbortController
}

/** The runs of a project, the oldest first. */
export type TestRunsState = { runs: Map<string, ActiveRun> }

/** Rows that are to begin. */
export type Records = { begun: UnfinishedTestRun[] }

export type TestRunsTurn = Turn<TestRunsState, Records>

export function activeRun({ row, done }: UnfinishedTestRun): ActiveRun {
  const ended = new Set(done)
  const waiting = Array.from({ length: row.total }, (_, position) => position).filter((one) => !ended.has(one))
  return { row, waiting, under_way: new Set(), faults: 0, abort: new AbortController() }
}
