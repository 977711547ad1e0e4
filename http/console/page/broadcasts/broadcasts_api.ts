/** The requests for broadcasts. No DOM. */

import type { ProjectApi } from '../data/project_api.ts'
import type { Broadcast, BroadcastFilter, Page, PageQuery, Recipient, RecipientQuery } from '../records/broadcast.ts'

export class BroadcastsApi {
  #api

  constructor(api: ProjectApi) {
    this.#api = api
  }

  /** A page of broadcasts. Empty filters are left out of the query. */
  list(query: BroadcastFilter & PageQuery): Promise<Page<Broadcast>> {
    return this.#api.get('messages/bulk', query)
  }

  one(id: string): Promise<Broadcast> {
    return this.#api.get(pathOf(id))
  }

  recipients(id: string, query: RecipientQuery): Promise<Page<Recipient>> {
    return this.#api.get(`${pathOf(id)}/recipients`, query)
  }

  /** Resolves to the broadcast as it is then. */
  cancel(id: string): Promise<Broadcast> {
    return this.#api.post(`${pathOf(id)}/cancel`)
  }

  /** The address of the file with all recipients. */
  recipientsFile(id: string) {
    return this.#api.address(`${pathOf(id)}/recipients.csv`)
  }
}

function pathOf(id: string) {
  return `messages/bulk/${encodeURIComponent(id)}`
}
