import type { Dispatcher } from 'undici'
import { JobFailed, ThreadPool, Unavailable } from '../../runtime/mod.ts'
import type { AgentToolMethod } from '../../storage/mod.ts'
import { type Exchange, exchange, type OutboundGuard } from '../outbound/mod.ts'
import type { ArgumentsQuestion, ArgumentsVerdict } from './arguments.ts'
import type { Question } from './check_thread.ts'
import { patternsOf, type SchemaViolation } from './parameters.ts'
import type { PatternsVerdict } from './patterns.ts'

export type ToolCall = {
  url: string
  method: AgentToolMethod
  headers: Record<string, string>
  arguments: Record<string, unknown>
  timeout_ms: number
}

export type ToolAnswer = {
  /** The tool answered with a 2xx status, in time. */
  succeeded: boolean
  status_code: number | null
  duration_ms: number
  /** `http_<status>` or an `ExchangeError`, with the detail of a failed TLS connection; null after a success. */
  error: string | null
  /** The beginning of the response; null for none, and for a compressed one. */
  response: string | null
  is_truncated: boolean
}

type Options = {
  guard: OutboundGuard
  /** Milliseconds for one check of arguments, or of patterns. */
  check_ms?: number
  /** Told of each call, for metrics. */
  observe?: (answer: ToolAnswer) => void
}

const CHECK_MS = 2_000
/** One project uses one of them at a time. */
const THREADS = 2
const MAX_WAITING = 64
const MAX_WAITING_OF_PROJECT = 8
const HEAP_MIB = 96
/** Maximum bytes of a response that are read and kept: more than a model should get as the result of a tool. */
const RESPONSE_BYTES = 16_384

/** Calls the tools of agents, one call at a time for each request, over one pool of guarded connections. */
export class ToolClient {
  readonly #dispatcher: Dispatcher
  readonly #checks: ThreadPool<Question, ArgumentsVerdict | PatternsVerdict>
  readonly #check_ms: number
  readonly #observe: ((answer: ToolAnswer) => void) | undefined

  constructor({ guard, check_ms = CHECK_MS, observe }: Options) {
    this.#dispatcher = guard.createDispatcher()
    const script = new URL('./check_thread.ts', import.meta.url)
    const waiting = { waiting: MAX_WAITING, waiting_of_one: MAX_WAITING_OF_PROJECT }
    this.#checks = new ThreadPool({ script, threads: THREADS, ...waiting, heap_mib: HEAP_MIB })
    this.#check_ms = check_ms
    this.#observe = observe
  }

  /**
   * Checks arguments against a tool's parameters, for a project. A check that takes too long makes the parameters
   * unusable. Rejects with `Unavailable` when too many checks wait.
   */
  async check(question: ArgumentsQuestion, project_id: string): Promise<ArgumentsVerdict> {
    const verdict = (await this.#ask(question, project_id)) as ArgumentsVerdict | undefined
    return verdict ?? { unusable: TOO_EXPENSIVE }
  }

  /**
   * Checks the patterns of parameters that are within all bounds otherwise, for a project. Rejects with `Unavailable`
   * when too many checks wait.
   */
  async checkPatterns(parameters: Record<string, unknown>, project_id: string): Promise<SchemaViolation[]> {
    const placed = patternsOf(parameters)
    if (placed.length === 0) return []
    const patterns = placed.map(({ pattern }) => pattern)
    const verdict = (await this.#ask({ patterns }, project_id)) as PatternsVerdict | undefined
    if (verdict === undefined) return [{ path: [], message: 'has patterns that take too long to read; simplify them' }]
    return verdict.not_linear.map((at) => ({ path: placed[at]!.path, message: NOT_LINEAR }))
  }

  /** Undefined when there is no verdict in time. */
  async #ask(question: Question, project_id: string): Promise<ArgumentsVerdict | PatternsVerdict | undefined> {
    try {
      return await this.#checks.run(question, this.#check_ms, project_id)
    } catch (error) {
      if (!(error instanceof JobFailed)) throw error
      if (error.reason === 'timeout' || error.reason === 'broken') return undefined
      throw new Unavailable('Too many tools and calls of tools wait to be checked.')
    }
  }

  /** Calls the tool once. Never rejects; resolves within the tool's time limit. */
  async call({ url, method, headers, arguments: values, timeout_ms }: ToolCall): Promise<ToolAnswer> {
    const in_query = method === 'GET' || method === 'DELETE'
    const ended = await exchange(this.#dispatcher, {
      url: in_query ? withQuery(url, values) : url,
      method,
      headers: {
        accept: 'application/json, text/*;q=0.9, */*;q=0.1',
        'user-agent': 'Parley-Tools/1',
        ...headers,
        ...(!in_query && JSON_BODY),
      },
      body: in_query ? undefined : JSON.stringify(values),
      deadline_ms: timeout_ms,
      read_limit: RESPONSE_BYTES,
    })
    const answer = judge(ended)
    this.#observe?.(answer)
    return answer
  }

  /** Aborts the calls under way. */
  async close(): Promise<void> {
    await Promise.all([this.#dispatcher.destroy(), this.#checks.close()])
  }
}

const NOT_LINEAR = 'must be a regular expression without look-around and back references (RE2)'
const TOO_EXPENSIVE = 'checking these arguments against the parameters takes too long; simplify the parameters'
const JSON_BODY = { 'content-type': 'application/json' }

function judge(answer: Exchange): ToolAnswer {
  const { status, headers, body, is_complete, error, error_detail, duration_ms } = answer
  const succeeded = status !== null && status >= 200 && status < 300 && error === null
  return {
    succeeded,
    status_code: status,
    duration_ms,
    error: succeeded ? null : reasonOf(status, error, error_detail),
    response: status === null ? null : textOf(body, headers['content-encoding'], is_complete),
    is_truncated: status !== null && !is_complete,
  }
}

/** A status outside 2xx is the reason, even when the body broke off behind it. */
function reasonOf(status: number | null, error: string | null, detail: string | null): string {
  if (status !== null && (status < 200 || status >= 300)) return `http_${status}`
  return detail === null ? (error ?? 'invalid_response') : `${error}: ${detail}`
}

/** PostgreSQL cannot store NUL, and no text ends in half a character. */
function textOf(body: Buffer, encoding: string | string[] | undefined, is_complete: boolean): string | null {
  if (encoding !== undefined && encoding !== 'identity') return null
  return new TextDecoder().decode(body, { stream: !is_complete }).replaceAll('\0', '\ufffd')
}

/** Adds the arguments to the query; values other than texts, numbers and booleans as JSON. */
function withQuery(text: string, values: Record<string, unknown>): string {
  const url = new URL(text)
  for (const [name, value] of Object.entries(values)) {
    url.searchParams.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  return url.href
}
