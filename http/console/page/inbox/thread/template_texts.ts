/** The texts of the templates that the threads of a project show, each read once. No DOM. */

import { type Signal, signal } from '@preact/signals'
import type { Project } from '../../data/project.ts'
import type { Template } from '../composer/templates.ts'

/** A message names its template so. */
type Named = { channel_id: string | undefined; name: string; language: string }

export class TemplateTexts {
  #api
  #known = new Map<string, Signal<Template | undefined>>()

  constructor({ api }: Pick<Project, 'api'>) {
    this.#api = api
  }

  /** The template of a message; undefined until it is read, and when it is gone at the provider. */
  of(named: Named) {
    const key = JSON.stringify([named.channel_id, named.name, named.language])
    const known = this.#known.get(key)
    if (known) return known
    const template = signal<Template | undefined>(undefined)
    this.#known.set(key, template)
    // The next message with this template asks again.
    this.#read(named, template).catch(() => this.#known.delete(key))
    return template
  }

  /** Templates may have changed meanwhile; what is shown stays until then. */
  read() {
    this.#known.clear()
  }

  async #read({ channel_id, name, language }: Named, template: Signal<Template | undefined>) {
    const { data } = await this.#api.get('messages/templates', { channel_id, name, language, limit: 1 })
    template.value = data[0]
  }
}
