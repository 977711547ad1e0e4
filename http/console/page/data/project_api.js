/** Requests within one project: paths are those of the API, without `/v1`. No DOM. */

/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */

export class ProjectApi {
  /** Answers that were read before they are asked for. @type {Pick<import('./snapshot.js').Snapshot, 'take'> | undefined} */
  snapshot
  #api
  #at

  /**
   * @param {import('./api.js').Api} api
   * @param {string} project_id
   */
  constructor(api, project_id) {
    this.#api = api
    this.#at = `projects/${encodeURIComponent(project_id)}/`
  }

  /**
   * @param {string} path
   * @param {Query} [query]
   * @returns {Promise<any>}
   */
  async get(path, query = {}) {
    return (await this.snapshot?.take(path, query)) ?? this.#api.request('GET', this.#at + path, { query })
  }

  /**
   * With a `key`, the request is done once, however often it is sent; with a `version`, only to that version of the record.
   *
   * @param {string} path
   * @param {object} [json]
   * @param {{ key?: string, version?: number | undefined }} [more]
   * @returns {Promise<any>}
   */
  post(path, json = {}, { key, version } = {}) {
    return this.#api.request('POST', this.#at + path, { json, key, version })
  }

  /**
   * @param {string} path
   * @param {object} json
   * @returns {Promise<any>}
   */
  put(path, json) {
    return this.#api.request('PUT', this.#at + path, { json })
  }

  /**
   * @param {string} path
   * @param {object} json
   * @param {{ version?: number | undefined }} [more]
   * @returns {Promise<any>}
   */
  patch(path, json, { version } = {}) {
    return this.#api.request('PATCH', this.#at + path, { json, version })
  }

  /**
   * @param {string} path
   * @returns {Promise<any>}
   */
  delete(path) {
    return this.#api.request('DELETE', this.#at + path)
  }

  /**
   * Sends a form with files.
   *
   * @param {string} path
   * @param {FormData} form
   * @returns {Promise<any>}
   */
  send(path, form) {
    return this.#api.request('POST', this.#at + path, { form })
  }

  /**
   * The address of a file.
   *
   * @param {string} path
   */
  address(path) {
    return this.#api.address(this.#at + path)
  }
}
