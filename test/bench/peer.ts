import type { Load, Sample } from './load/loop.ts'

/** One side of a comparison, ours or another's: it owns the servers it needs and the process that loads them. */
export type Peer = {
  name: string
  /** Starts everything; data goes below `directory`. A sentence in the error says what is missing. */
  start(directory: string): Promise<void>
  /** Before a round, and after it: for a peer whose idling (polling) would take CPU from the others. */
  wake?(): Promise<void>
  rest?(): Promise<void>
  /** Runs one round to its end, all operations answered. */
  run(load: Load): Promise<Sample>
  /** Effects that the store holds since the start, for a check that nothing acknowledged is missing. */
  stored?(): Promise<number>
  /** Process ids by role; each is counted with its descendants. */
  processes(): Record<string, number>
  /** Stops everything that `start` started, also after a start that failed half way. */
  stop(): Promise<void>
}
