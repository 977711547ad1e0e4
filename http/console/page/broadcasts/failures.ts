/** Failures of a broadcast's recipients, grouped by reason. No DOM. */
import type { Page, Recipient } from '../records/broadcast.ts'
import type { ReadPage } from './recipient_pages.ts'

type Group = { code: string; message: string; count: number }
/** `looked_at` failures were looked at; `is_all`: there are no others. The largest group comes first. */
export type Failures = { groups: Group[]; looked_at: number; is_all: boolean }

const PAGE = 200
/** Pages that are read; the file has the rest. */
const PAGES = 5

/** Reads failed recipients, page by page. */
export async function readFailures(readPage: ReadPage): Promise<Failures> {
  const failed: Recipient[] = []
  let cursor: string | null | undefined
  for (let page = 0; page < PAGES && cursor !== null; page++) {
    const answer: Page<Recipient> = await readPage({ status: 'failed', limit: PAGE, cursor })
    failed.push(...answer.data)
    cursor = answer.next_cursor
  }
  return { groups: grouped(failed), looked_at: failed.length, is_all: cursor === null }
}

/** Providers word the same failure in several ways: the first text of each code is shown. */
function grouped(recipients: Recipient[]) {
  const groups = new Map<string, Group>()
  for (const { error } of recipients) {
    const code = String(error?.code ?? 'unknown')
    const group = groups.get(code) ?? { code, message: String(error?.message ?? ''), count: 0 }
    group.count++
    groups.set(code, group)
  }
  return [...groups.values()].sort((a, b) => b.count - a.count)
}
