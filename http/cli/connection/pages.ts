import { InvalidArgumentError, Option } from 'commander'
import type { Api } from './api.ts'

const PAGE = 200
const MAX = 10_000

type Page<Row> = { data: Row[]; next_cursor: string | null; total?: number }

/** The first `limit` records of a list with cursors, whether there are more, and the number of all where the list counts them. */
export async function readPages<Row>(
  api: Api,
  path: string,
  filter: Record<string, string | undefined>,
  limit: number,
): Promise<{ rows: Row[]; more: boolean; total?: number }> {
  const pairs = Object.entries(filter).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const query = new URLSearchParams(pairs)
  const rows: Row[] = []
  for (;;) {
    query.set('limit', String(Math.min(limit - rows.length, PAGE)))
    const { data, next_cursor, total } = await api.call<Page<Row>>('GET', `${path}?${query}`)
    rows.push(...data)
    if (next_cursor === null || rows.length >= limit) return { rows, more: next_cursor !== null, total }
    query.set('cursor', next_cursor)
  }
}

/** `--limit`: maximum number of records to read. */
export function limitOption(): Option {
  return new Option('--limit <number>', 'maximum number').default(50, '50').argParser(parseLimit)
}

function parseLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX) return limit
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX}.`)
}
