/**
 * A line in the log for each answered request, or for each refused one.
 *
 * A line has ids and figures only: the pattern of a route instead of its path, and neither query nor address. Lines of one
 * kind are limited, so that strangers who fill the log with refusals leave room for those of tenants.
 */
import type { Log } from '../../runtime/mod.ts'
import type { CompiledRoute } from './route/compiled_route.ts'

export type AccessLogKind = 'off' | 'errors' | 'all'

/** Lines a second of each kind. */
const LIMITS = { served: 5_000, refused: 500, stranger: 100 }
const SECOND_MS = 1000

const ID = /^[0-9a-f]{24}$/

/** A request with its answer. */
export type Access = {
  request_id: string
  compiled_route: CompiledRoute
  status: number
  ms: number
  /** Undefined for strangers, providers and operators. */
  project_id: string | undefined
  /** The caller has shown who it is. */
  is_known: boolean
  params: Record<string, string>
}

export class AccessLog {
  readonly #log: Log
  readonly #node: string
  readonly #from: number
  readonly #counts = { served: 0, refused: 0, stranger: 0 }
  #closing: NodeJS.Timeout | undefined

  constructor(kind: Exclude<AccessLogKind, 'off'>, log: Log, node: string) {
    this.#log = log
    this.#node = node
    this.#from = kind === 'all' ? 0 : 400
  }

  /** True when a request with this status has a line. */
  takes(status: number): boolean {
    return status >= this.#from
  }

  note({ request_id, compiled_route, status, ms, project_id, is_known, params }: Access): void {
    const kind = status < 400 ? 'served' : is_known ? 'refused' : 'stranger'
    this.#closing ??= setTimeout(() => this.#close(), SECOND_MS).unref()
    if (++this.#counts[kind] > LIMITS[kind]) return
    const { method, route } = compiled_route.metrics.labels
    const { channel_id } = params
    const channel = channel_id !== undefined && ID.test(channel_id) ? { channel_id } : undefined
    const project = project_id ? { project_id } : undefined
    const rounded = Math.round(ms * 10) / 10
    this.#log.info(
      { request_id, method, route, status, ms: rounded, ...project, ...channel, node: this.#node },
      'request',
    )
  }

  /** Ends a second, with a line about those that it left out. */
  #close(): void {
    this.#closing = undefined
    for (const kind of ['served', 'refused', 'stranger'] as const) {
      const left_out = this.#counts[kind] - LIMITS[kind]
      this.#counts[kind] = 0
      if (left_out > 0) this.#log.info({ kind, left_out, node: this.#node }, 'lines of the access log were left out')
    }
  }
}
