/** The lists and the records of people that are shown. No DOM. */

import { signal } from '@preact/signals'
import type { Change } from '../data/apply_event.ts'
import type { Project } from '../data/project.ts'
import type { ProjectEvent } from '../records/live.ts'
import { PeopleList } from './people_list.ts'
import type { Person } from './person.ts'
import type { Kind, PeopleFilter } from './places.ts'

export class People {
  list = signal<PeopleList | null>(null)
  #project
  /** The contact or customer that is shown. */
  #person: Person | undefined

  constructor(project: Project) {
    this.#project = project
    project.define()
  }

  show(kind: Kind, filter: PeopleFilter) {
    const before = this.list.peek()
    if (before?.kind === kind && JSON.stringify(before.filter) === JSON.stringify(filter)) {
      void before.read()
      return
    }
    before?.close()
    const list = new PeopleList(this.#project, kind, filter)
    this.list.value = list
    void list.read()
  }

  /** Follows what is shown of one person. */
  follow(person: Person) {
    this.#person = person
  }

  hear(events: readonly ProjectEvent[], changes: readonly Change[]) {
    const list = this.list.peek()
    // Known records have changed by now; the list itself changes with those that come and go.
    const is_other = changes.some(({ kind, is_new, after }) => kind === list?.kind && (is_new || after === undefined))
    const is_customer = list?.kind === 'customer' && events.some(({ type }) => type === 'customer.changed')
    if (is_other || is_customer) list?.readSoon()
    this.#person?.hear(events, changes)
  }

  read() {
    void this.list.peek()?.read()
    this.#person?.read()
  }

  poll(is_live: boolean) {
    if (!is_live) this.read()
    else if (this.list.peek()?.is_stale) void this.list.peek()?.read()
  }

  close() {
    this.list.peek()?.close()
    this.#person?.close()
  }
}
