/** Who a broadcast did not reach, and why: alike failures in one line. */
import type { Api } from '../api.ts'
import { printable, remark, table } from '../terminal.ts'
import { type Broadcast, broadcastPath } from './record.ts'

type Recipient = {
  /** Place in the request, from 0. */
  index: number
  phone: string
  error: { code: unknown; message: unknown } | null
}
type Group = { code: string; message: string; count: number; who: string[] }

/** One request: each counts against the rate limit of the project. */
const LOOKED_AT = 200
const EXAMPLES = 3

/**
 * Tells on standard error why recipients failed. `lines` are those of the file that was sent, by the recipients' places;
 * without them phones are named.
 */
export async function tellFailures(api: Api, broadcast: Broadcast, lines?: number[]): Promise<void> {
  if (broadcast.failed_count === 0) return
  const query = `status=failed&limit=${LOOKED_AT}`
  const { data }: { data: Recipient[] } = await api.call('GET', `${broadcastPath(broadcast.id)}/recipients?${query}`)
  const groups = group(data, lines)
  if (groups.length === 0) return
  const rows = groups.map(({ count, code, message, who }) => [
    String(count),
    code,
    message,
    `${who.slice(0, EXAMPLES).join(', ')}${count > EXAMPLES ? ', …' : ''}`,
  ])
  const headings = ['failed', 'code', 'why', lines ? 'lines' : 'such as']
  process.stderr.write(table(headings, rows, 2, process.stderr))
  if (broadcast.failed_count > data.length) {
    remark(
      `These are ${data.length} of ${broadcast.failed_count}: GET ${broadcastPath(broadcast.id)}/recipients.csv has all.`,
    )
  }
}

function group(recipients: Recipient[], lines: number[] | undefined): Group[] {
  const groups = new Map<string, Group>()
  for (const { index, phone, error } of recipients) {
    const [code, message] = [String(error?.code ?? 'unknown'), printable(String(error?.message ?? ''))]
    const key = `${code} ${message}`
    const found = groups.get(key) ?? { code, message, count: 0, who: [] }
    found.count++
    found.who.push(String(lines?.[index] ?? phone))
    groups.set(key, found)
  }
  return [...groups.values()].sort((a, b) => b.count - a.count)
}
