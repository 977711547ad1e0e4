import type { SimulatorRequest } from '../../answer.ts'
import type { Json } from '../requests/check.ts'
import { GraphError } from '../requests/errors.ts'

/** The root of generated links: the address under which the client reached the simulator. */
export function baseUrl(request: SimulatorRequest): string {
  return `http://${request.host}`
}

/** Keeps the fields requested with `fields=a,b{c}`; the id always stays. */
export function pick(record: Json, fields: string | null): Json {
  if (!fields) return record
  const names = new Set(
    fields
      .replace(/[({][^)}]*[)}]/g, '')
      .split(',')
      .map((field) => field.trim().split('.')[0]),
  )
  return Object.fromEntries(Object.entries(record).filter(([key]) => key === 'id' || names.has(key)))
}

/** One page of a list in Graph's form: cursors always, `next` while there is more. Throws GraphError. */
export function page(records: Json[], request: SimulatorRequest, default_limit = 25): Json {
  const { query } = request
  const limit = Number(query.get('limit') ?? default_limit)
  if (!Number.isInteger(limit) || limit < 1) throw new GraphError(100, { details: 'limit must be a positive integer.' })
  const after = query.get('after')
  const before = query.get('before')
  const end = before ? offsetOf(before) : undefined
  const start = end !== undefined ? Math.max(0, end - limit) : after ? offsetOf(after) + 1 : 0
  const data = records.slice(start, Math.min(start + limit, end ?? Number.POSITIVE_INFINITY))
  if (data.length === 0) return { data }
  const cursors = { before: cursor(start), after: cursor(start + data.length - 1) }
  const paging: Json = { cursors }
  if (start + data.length < records.length) {
    const next = new URLSearchParams(query)
    next.delete('before')
    next.set('after', cursors.after)
    next.set('limit', String(limit))
    paging.next = `${baseUrl(request)}/${request.segments.join('/')}?${next}`
  }
  return { data: data.map((record) => pick(record, query.get('fields'))), paging }
}

function cursor(offset: number): string {
  return Buffer.from(`at:${offset}`).toString('base64url')
}

function offsetOf(text: string): number {
  const offset = /^at:(\d+)$/.exec(Buffer.from(text, 'base64url').toString('latin1'))?.[1]
  if (offset === undefined) throw new GraphError(100, { details: 'The cursor is not one of this list.' })
  return Number(offset)
}
