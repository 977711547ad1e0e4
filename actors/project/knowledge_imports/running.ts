import { Memory } from '../turn/memory.ts'

/** Maximum imports of a project under way at once. */
export const MAX_RUNNING = 2

/** Unfinished imports that are read to begin the next ones: those under way, which may come first, and more than fit. */
export const MAX_READ = 2 * MAX_RUNNING + 1

/** Maximum unfinished imports of a project: their files take room. */
export const MAX_UNFINISHED = 2_000

/** Documents whose import is under way on this node. */
export const runningImports = new Memory<Set<string>>(() => new Set())
