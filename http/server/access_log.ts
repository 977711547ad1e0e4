/**
 * A line in the log for each answered request, or for each refused one.
 *
 * A line has ids and figures only: the pattern of a route instead of its path, and neither query nor address. Lines of one
 * kind are limited, so that strangers who fill the log with refusals leave room for those of tenants, and those of a project, so that
 * it leaves room for the others.
 */
import type { Log } from '../../runtime/mod.ts'
import { SecondShares } from './limits/second_shares.ts'
import type { CompiledRoute } from './route/compiled_route.ts'

export type AccessLogKind = 'off' | 'errors' | 'all'

/** Lines a second of each kind, and of each project among them. */
const LIMITS = {
  served: { total: 5_000, each: 2_500 },
  refused: { total: 500, each: 100 },
  stranger: { total: 100, each: 100 },
}
/** Projects that a line about those left out names at most. */
const NAMED = 5
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
  readonly #kinds = {
    served: new Kind(LIMITS.served),
    refused: new Kind(LIMITS.refused),
    stranger: new Kind(LIMITS.stranger),
  }
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
    if (!this.#kinds[kind].take(project_id ?? '')) return
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
      const { left_out, projects } = this.#kinds[kind].close()
      if (left_out === 0) continue
      const named = projects.length > 0 ? { projects } : undefined
      this.#log.info({ kind, left_out, ...named, node: this.#node }, 'lines of the access log were left out')
    }
  }
}

/** The lines of one kind in the second under way. */
class Kind {
  readonly #shares: SecondShares
  readonly #projects = new Set<string>()
  #left_out = 0

  constructor(limits: { total: number; each: number }) {
    this.#shares = new SecondShares(limits)
  }

  /** `project_id` is empty where none is known. */
  take(project_id: string): boolean {
    if (this.#shares.take(project_id)) return true
    this.#left_out++
    if (project_id !== '' && this.#projects.size < NAMED) this.#projects.add(project_id)
    return false
  }

  close(): { left_out: number; projects: string[] } {
    const closed = { left_out: this.#left_out, projects: [...this.#projects] }
    this.#left_out = 0
    this.#projects.clear()
    return closed
  }
}
