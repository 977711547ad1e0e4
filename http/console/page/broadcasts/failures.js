/** Failures of a broadcast's recipients, grouped by reason. No DOM. */

/** @typedef {import('../../page_types/broadcast.ts').Recipient} Recipient */
/** @typedef {{ code: string, message: string, count: number }} Group */
/**
 * `looked_at` failures were looked at; `is_all`: there are no others. The largest group comes first.
 *
 * @typedef {{ groups: Group[], looked_at: number, is_all: boolean }} Failures
 */

const PAGE = 200
/** Pages that are read; the file has the rest. */
const PAGES = 5

/**
 * Reads failed recipients, page by page.
 *
 * @param {import('./recipient_pages.js').ReadPage} readPage
 * @returns {Promise<Failures>}
 */
export async function readFailures(readPage) {
  /** @type {Recipient[]} */
  const failed = []
  /** @type {string | null | undefined} */
  let cursor
  for (let page = 0; page < PAGES && cursor !== null; page++) {
    /** @type {import('../../page_types/broadcast.ts').Page<Recipient>} */
    const answer = await readPage({ status: 'failed', limit: PAGE, cursor })
    failed.push(...answer.data)
    cursor = answer.next_cursor
  }
  return { groups: grouped(failed), looked_at: failed.length, is_all: cursor === null }
}

/**
 * Providers word the same failure in several ways: the first text of each code is shown.
 *
 * @param {Recipient[]} recipients
 */
function grouped(recipients) {
  /** @type {Map<string, Group>} */
  const groups = new Map()
  for (const { error } of recipients) {
    const code = String(error?.code ?? 'unknown')
    const group = groups.get(code) ?? { code, message: String(error?.message ?? ''), count: 0 }
    group.count++
    groups.set(code, group)
  }
  return [...groups.values()].sort((a, b) => b.count - a.count)
}
