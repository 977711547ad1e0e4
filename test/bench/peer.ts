import type { Load, Sample } from './load/loop.ts'

/** One side of a comparison, ours or another's. It owns the servers it needs and the process that loads them. */
export type Peer = {
  name: string
  /** Starts everything, with data below `directory`. An error is a sentence that says what is missing. */
  start(directory: string): Promise<void>
  /** Called before and after a round, for a peer whose idle polling would take CPU from the others. */
  wake?(): Promise<void>
  rest?(): Promise<void>
  /** Runs one round until all operations are answered. */
  run(load: Load): Promise<Sample>
  /** Returns the number of effects in the store since the start, for a check that nothing acknowledged is missing. */
  stored?(): Promise<number>
  /** Returns process ids by role. Each is counted with its descendants. */
  processes(): Record<string, number>
  /** Stops everything that `start` started, also after a start that failed halfway. */
  stop(): Promise<void>
}
