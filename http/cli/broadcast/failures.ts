/** Failed recipients of a broadcast, grouped by reason. */
import type { BroadcastRecipient } from '../../client/mod.ts'
import type { Api } from '../connection/api.ts'
import { printable, remark, table } from '../terminal/terminal.ts'
import { type Broadcast, broadcastPath } from './record.ts'

/** Recipients that failed for the same reason. */
export type RecipientFailure = {
  code: string
  message: string
  count: number
  phones: string[]
  /** Their names, as far as they are known, with their phones. */
  people: string[]
  /** Lines of the sent file; absent when the file is unknown. */
  lines?: number[]
}

/** Limited to one request, because each counts against the rate limit of the project. */
const LOOKED_AT = 200
const EXAMPLES = 3

/**
 * The failures of a broadcast, the most frequent first, among its first 200 failed recipients. `lines` maps the
 * recipients' indexes to lines of the sent file.
 */
export async function readFailures(api: Api, broadcast: Broadcast, lines?: number[]): Promise<RecipientFailure[]> {
  if (broadcast.failed_count === 0) return []
  const query = `status=failed&limit=${LOOKED_AT}`
  const { data }: { data: BroadcastRecipient[] } = await api.call(
    'GET',
    `${broadcastPath(broadcast.id)}/recipients?${query}`,
  )
  const failures = new Map<string, RecipientFailure>()
  for (const { index, phone, error, chat_user_name } of data) {
    const [code, message] = [String(error?.code ?? 'unknown'), String(error?.message ?? '')]
    const key = `${code} ${message}`
    const found = failures.get(key) ?? { code, message, count: 0, phones: [], people: [], ...(lines && { lines: [] }) }
    found.count++
    found.phones.push(phone)
    found.people.push(chat_user_name ? `${printable(chat_user_name)} ${phone}` : phone)
    if (lines?.[index] !== undefined) found.lines?.push(lines[index])
    failures.set(key, found)
  }
  return [...failures.values()].sort((one, other) => other.count - one.count)
}

/** Prints failures as a table, with some of the lines of the file, or else of the people. */
export function printFailures(broadcast: Broadcast, failures: RecipientFailure[]): void {
  if (failures.length === 0) return
  const rows = failures.map(({ count, code, message, people, lines }) => [
    String(count),
    code,
    printable(message),
    `${(lines ?? people).slice(0, EXAMPLES).join(', ')}${count > EXAMPLES ? ', …' : ''}`,
  ])
  process.stdout.write(table(['failed', 'code', 'why', failures[0]?.lines ? 'lines' : 'such as'], rows, 2))
  const counted = failures.reduce((sum, { count }) => sum + count, 0)
  if (broadcast.failed_count <= counted) return
  const all = `GET ${broadcastPath(broadcast.id)}/recipients.csv has all`
  remark(`These are ${counted} of ${broadcast.failed_count}: ${all}.`)
}
