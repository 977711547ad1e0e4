/** The lists and the records of people that are shown. No DOM. */
import { signal } from '@preact/signals'
import { PeopleList } from './people_list.js'

/** @typedef {import('../../page_types/live.ts').ProjectEvent} ProjectEvent */
/** @typedef {import('../data/apply_event.js').Change} Change */
/** @typedef {import('./person.js').Person} Person */

export class People {
  list = signal(/** @type {PeopleList | null} */ (null))
  #project
  /** The contact or customer that is shown. @type {Person | undefined} */
  #person

  /** @param {import('../data/project.js').Project} project */
  constructor(project) {
    this.#project = project
    project.define()
  }

  /**
   * @param {import('./places.js').Kind} kind
   * @param {import('./places.js').PeopleFilter} filter
   */
  show(kind, filter) {
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

  /**
   * Follows what is shown of one person.
   *
   * @param {Person} person
   */
  follow(person) {
    this.#person = person
  }

  /**
   * @param {readonly ProjectEvent[]} events
   * @param {readonly Change[]} changes
   */
  hear(events, changes) {
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

  /** @param {boolean} is_live */
  poll(is_live) {
    if (!is_live) this.read()
    else if (this.list.peek()?.is_stale) void this.list.peek()?.read()
  }

  close() {
    this.list.peek()?.close()
    this.#person?.close()
  }
}
