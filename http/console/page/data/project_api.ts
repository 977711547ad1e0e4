/** Requests within one project: paths are those of the API, without `/v1`. No DOM. */

import type { AnyRecord } from '../records/record.ts'
import type { Api } from './api.ts'
import type { Query } from './query.ts'
import type { Snapshot } from './snapshot.ts'

export class ProjectApi {
  /** Answers that were read before they are asked for. */
  snapshot: Pick<Snapshot, 'take'> | undefined
  #api
  #at

  constructor(api: Api, project_id: string) {
    this.#api = api
    this.#at = `projects/${encodeURIComponent(project_id)}/`
  }

  async get<Answer = AnyRecord>(path: string, query: Query = {}): Promise<Answer> {
    return (await this.snapshot?.take<Answer>(path, query)) ?? this.#api.request('GET', this.#at + path, { query })
  }

  /**
   * With a `key`, the request is done once, however often it is sent; with a `version`, only to that version of the record.
   */
  post<Answer = AnyRecord>(
    path: string,
    json: object = {},
    { key, version, signal }: { key?: string; version?: number | undefined; signal?: AbortSignal } = {},
  ): Promise<Answer> {
    return this.#api.request('POST', this.#at + path, { json, key, version, signal })
  }

  put<Answer = AnyRecord>(path: string, json: object): Promise<Answer> {
    return this.#api.request('PUT', this.#at + path, { json })
  }

  patch<Answer = AnyRecord>(
    path: string,
    json: object,
    { version }: { version?: number | undefined } = {},
  ): Promise<Answer> {
    return this.#api.request('PATCH', this.#at + path, { json, version })
  }

  delete<Answer = AnyRecord>(path: string): Promise<Answer> {
    return this.#api.request('DELETE', this.#at + path)
  }

  /** Sends a form with files. */
  send<Answer = AnyRecord>(path: string, form: FormData): Promise<Answer> {
    return this.#api.request('POST', this.#at + path, { form })
  }

  /** The address of a file. */
  address(path: string) {
    return this.#api.address(this.#at + path)
  }
}
