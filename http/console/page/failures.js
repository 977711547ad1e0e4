/** Failures of a broadcast's recipients, grouped by reason. No DOM. */

const PAGE = 200
/** Pages that are read; the file has the rest. */
const PAGES = 5

/** Resolves to `{ groups: [{ code, message, count }], looked_at, is_all }`, the largest group first. */
export async function readFailures(readPage) {
  const failed = []
  let cursor
  for (let page = 0; page < PAGES && cursor !== null; page++) {
    const answer = await readPage({ status: 'failed', limit: PAGE, cursor })
    failed.push(...answer.data)
    cursor = answer.next_cursor
  }
  return { groups: grouped(failed), looked_at: failed.length, is_all: cursor === null }
}

/** Providers word the same failure in several ways: the first text of each code is shown. */
function grouped(recipients) {
  const groups = new Map()
  for (const { error } of recipients) {
    const code = String(error?.code ?? 'unknown')
    const group = groups.get(code) ?? { code, message: String(error?.message ?? ''), count: 0 }
    group.count++
    groups.set(code, group)
  }
  return [...groups.values()].sort((a, b) => b.count - a.count)
}
