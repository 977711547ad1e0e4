/** The requests for broadcasts. No DOM. */

/** @typedef {import('../../page_types/broadcast.ts').Broadcast} Broadcast */

export class BroadcastsApi {
  #api

  /** @param {import('../data/project_api.js').ProjectApi} api */
  constructor(api) {
    this.#api = api
  }

  /**
   * A page of broadcasts. Empty filters are left out of the query.
   *
   * @param {import('../../page_types/broadcast.ts').BroadcastFilter & import('../../page_types/broadcast.ts').PageQuery} query
   * @returns {Promise<import('../../page_types/broadcast.ts').Page<Broadcast>>}
   */
  list(query) {
    return this.#api.get('messages/bulk', query)
  }

  /**
   * @param {string} id
   * @returns {Promise<Broadcast>}
   */
  one(id) {
    return this.#api.get(pathOf(id))
  }

  /**
   * @param {string} id
   * @param {import('../../page_types/broadcast.ts').RecipientQuery} query
   * @returns {Promise<import('../../page_types/broadcast.ts').Page<import('../../page_types/broadcast.ts').Recipient>>}
   */
  recipients(id, query) {
    return this.#api.get(`${pathOf(id)}/recipients`, query)
  }

  /**
   * Resolves to the broadcast as it is then.
   *
   * @param {string} id
   * @returns {Promise<Broadcast>}
   */
  cancel(id) {
    return this.#api.post(`${pathOf(id)}/cancel`)
  }

  /**
   * The address of the file with all recipients.
   *
   * @param {string} id
   */
  recipientsFile(id) {
    return this.#api.address(`${pathOf(id)}/recipients.csv`)
  }
}

/** @param {string} id */
function pathOf(id) {
  return `messages/bulk/${encodeURIComponent(id)}`
}
