import { getCACertificates } from 'node:tls'
import { Agent, type Dispatcher } from 'undici'
import { now } from '../../storage/mod.ts'
import { exchange, retryAfter } from '../outbound/mod.ts'
import type { SendFailure } from '../providers/mod.ts'
import type { AssistantService, RecordOwner, ServiceRecord } from './service.ts'

export type HttpServiceOptions = {
  /** The service's own address; paths are appended. */
  url: string
  key: string | null
  /** Certificate authorities in addition to those of the system. */
  certificates?: readonly string[]
}

/** Maximum connections of a node to the service. Further calls wait for one, until their deadline. */
const CONNECTIONS = 32
/** Maximum bytes of an answer. Its content is not used. */
const READ_LIMIT = 64 * 1024

/**
 * An assistant service behind HTTP: `PUT <url>/assistants/<id>` and `PUT <url>/blocks/<id>` with the record, `DELETE` to
 * take one back. A call counts as confirmed by 204, or by another 2xx with a JSON object.
 */
export class HttpAssistants implements AssistantService {
  readonly is_remote = true
  readonly #url: string
  readonly #key: string | null
  readonly #dispatcher: Dispatcher

  constructor({ url, key, certificates = [] }: HttpServiceOptions) {
    this.#url = url.replace(/\/+$/, '')
    this.#key = key
    this.#dispatcher = new Agent({
      allowH2: false,
      connections: CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: 4_000,
      connect: certificates.length > 0 ? { ca: [...getCACertificates('default'), ...certificates] } : {},
    })
  }

  save(
    record: ServiceRecord,
    { company_id, project_id }: RecordOwner,
    deadline: number,
  ): Promise<SendFailure | undefined> {
    const { kind, ...content } = record
    const { _id } = record.kind === 'assistant' ? record.assistant : record.block
    return this.#call('PUT', kind, _id, deadline, JSON.stringify({ company_id, project_id, ...content }))
  }

  remove(kind: ServiceRecord['kind'], id: string, deadline: number): Promise<SendFailure | undefined> {
    return this.#call('DELETE', kind, id, deadline)
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy()
  }

  async #call(
    method: 'PUT' | 'DELETE',
    kind: ServiceRecord['kind'],
    id: string,
    deadline: number,
    body?: string,
  ): Promise<SendFailure | undefined> {
    const answer = await exchange(this.#dispatcher, {
      method,
      url: `${this.#url}/${kind}s/${id}`,
      headers: {
        accept: 'application/json',
        ...(this.#key !== null && { authorization: `Bearer ${this.#key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body,
      deadline_ms: Math.max(1, deadline - performance.now()),
      read_limit: READ_LIMIT,
    })
    const { status, is_complete, error, was_sent } = answer
    if (status !== null && status >= 200 && status < 300 && is_complete && (status === 204 || isJson(answer.body))) {
      return undefined
    }
    const code = error ?? (status !== null && (status < 200 || status > 299) ? `http_${status}` : 'invalid_response')
    const message = `The assistant service did not confirm the change (${code}), so nothing was stored; retry after a moment.`
    const retry_after_s = retryAfter(answer.headers['retry-after'], now())
    return {
      kind: 'retry',
      code,
      message,
      maybe_accepted: was_sent,
      ...(retry_after_s !== undefined && { retry_after_s }),
    }
  }
}

function isJson(body: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
