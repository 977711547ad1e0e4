import type { Database } from '../../../storage/mod.ts'
import { isCommit, tapped } from './tapped.ts'

type Run = () => Promise<Record<string, unknown>[]>

/**
 * Returns the database, the text of each commit that was sent to it, and functions that stand in the way of commits.
 * `hold` lets the commits wait until the function that it returns is called; `once` passes the next commit whose text
 * matches to `tap`.
 */
export function heldCommits(database: Database) {
  const commits: string[] = []
  let gate = Promise.resolve()
  let watched: { pattern: RegExp; tap: (run: Run) => ReturnType<Run> } | undefined
  const held = tapped(database, async (sql, run) => {
    if (!isCommit(sql)) return run()
    commits.push(sql)
    await gate
    if (!watched?.pattern.test(sql)) return run()
    const { tap } = watched
    watched = undefined
    return tap(run)
  })
  return {
    database: held,
    commits,
    hold(): () => void {
      let open = () => {}
      gate = new Promise((resolve) => {
        open = resolve
      })
      return open
    },
    once(pattern: RegExp, tap: (run: Run) => ReturnType<Run>): void {
      watched = { pattern, tap }
    },
  }
}
