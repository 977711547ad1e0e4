import { Memory } from '../turn/memory.ts'

/** Maximum imports of a project under way at once. */
export const MOST_RUNNING = 2

/** Maximum unfinished imports of a project: their files take room. */
export const MOST_UNFINISHED = 2_000

/** Documents whose import is under way on this node. */
export const runningImports = new Memory<Set<string>>(() => new Set())
