/** The texts of the templates that the messages of a project name, each read once. No DOM. */

import { type Signal, signal } from '@preact/signals'
import type { Project } from '../data/project.ts'
import type { AnyRecord } from '../records/record.ts'
import { shownTemplate, type Template, textIn } from './template.ts'

/** A message names its template so. */
type Named = { channel_id: string | undefined; name: string; language: string }

/** @public for its tests */
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

  /** The text of a template message with its values; undefined until its template is read. */
  textOf({ channel_id, message }: AnyRecord): string | undefined {
    const { name, language, variables = {} } = message ?? {}
    if (typeof name !== 'string') return undefined
    const components = this.of({ channel_id: channel_id ?? undefined, name, language }).value?.components
    if (components === undefined) return undefined
    const { header, body } = shownTemplate(components, variables)
    return textIn(body) || textIn(header) || undefined
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

/** The texts of the project, shared by all that shows messages. */
export function templatesOf(project: Project) {
  return project.part('template_texts', () => new TemplateTexts(project))
}
