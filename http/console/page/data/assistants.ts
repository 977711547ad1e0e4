/** The assistants of a project, asked for when something shows them. */

import { type Signal, signal } from '@preact/signals'
import type { AnyRecord } from '../records/record.ts'
import type { Part, Project } from './project.ts'

/** Assistants that a menu has room for. */
const MAX_LISTED = 50

class Assistants implements Part {
  #project
  #names = new Map<string, Signal<string | undefined>>()
  /** The active ones; null until they are known. */
  active = signal<AnyRecord[] | null>(null)
  #is_listed = false

  constructor(project: Project) {
    this.#project = project
  }

  /** Lists them again after a gap, in which they may have changed. */
  read() {
    if (!this.#is_listed) return
    this.#is_listed = false
    this.list()
  }

  /** Asks for the active ones, once. */
  list() {
    if (this.#is_listed) return
    this.#is_listed = true
    this.#project.api.get(`assistants?is_active=true&limit=${MAX_LISTED}`).then(
      ({ data }) => {
        this.active.value = data
        for (const { _id, name } of data) this.#nameOf(_id).value = name
      },
      () => {
        this.#is_listed = false
      },
    )
  }

  /** The name of an assistant; undefined until it is known. */
  nameOf(id: string): string | undefined {
    if (!this.#names.has(id)) {
      this.#project.api.get(`assistants/${id}`).then(
        ({ assistant }) => {
          this.#nameOf(id).value = assistant.name
        },
        () => this.#names.delete(id),
      )
    }
    return this.#nameOf(id).value
  }

  #nameOf(id: string) {
    let name = this.#names.get(id)
    if (!name) {
      name = signal<string | undefined>(undefined)
      this.#names.set(id, name)
    }
    return name
  }
}

/** Those of a project, which all parts of the page share. */
export const assistantsOf = (project: Project) => project.part('assistants', () => new Assistants(project))
