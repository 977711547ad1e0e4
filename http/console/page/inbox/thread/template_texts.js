/** The texts of the templates that the threads of a project show, each read once. No DOM. */
import { signal } from '@preact/signals'

/** @typedef {import('../composer/templates.js').Template} Template */
/**
 * A message names its template so.
 *
 * @typedef {{ channel_id: string | undefined, name: string, language: string }} Named
 */

export class TemplateTexts {
  #api
  /** @type {Map<string, import('@preact/signals').Signal<Template | undefined>>} */
  #known = new Map()

  /** @param {Pick<import('../../data/project.js').Project, 'api'>} project */
  constructor({ api }) {
    this.#api = api
  }

  /**
   * The template of a message; undefined until it is read, and when it is gone at the provider.
   *
   * @param {Named} named
   */
  of(named) {
    const key = JSON.stringify([named.channel_id, named.name, named.language])
    const known = this.#known.get(key)
    if (known) return known
    const template = signal(/** @type {Template | undefined} */ (undefined))
    this.#known.set(key, template)
    // The next message with this template asks again.
    this.#read(named, template).catch(() => this.#known.delete(key))
    return template
  }

  /** Templates may have changed meanwhile; what is shown stays until then. */
  read() {
    this.#known.clear()
  }

  /**
   * @param {Named} named
   * @param {import('@preact/signals').Signal<Template | undefined>} template
   */
  async #read({ channel_id, name, language }, template) {
    const { data } = await this.#api.get('messages/templates', { channel_id, name, language, limit: 1 })
    template.value = data[0]
  }
}
