/** The boards of a project that were shown last, and the one that is shown. No DOM. */
import { signal } from '@preact/signals'
import { Board } from './board.js'

/** @typedef {import('../../page_types/board.ts').BoardFilter} BoardFilter */

export class Boards {
  board = signal(/** @type {Board | null} */ (null))
  #project

  /** @param {import('../data/project.js').Project} project */
  constructor(project) {
    this.#project = project
    project.define()
  }

  /**
   * @param {string} pipeline_id
   * @param {BoardFilter} filter
   */
  show(pipeline_id, filter) {
    const before = this.board.peek()
    const is_same = before?.pipeline_id === pipeline_id && JSON.stringify(before.filter) === JSON.stringify(filter)
    if (is_same) return
    before?.close()
    const board = new Board(this.#project, pipeline_id, filter)
    this.board.value = board
    void board.read()
  }

  /**
   * @param {readonly import('../../page_types/live.ts').ProjectEvent[]} events
   * @param {readonly import('../data/apply_event.js').Change[]} changes
   */
  hear(events, changes) {
    const board = this.board.peek()
    board?.hear(events, changes)
    // Stages may have come or gone.
    if (events.some(({ type }) => type === 'definitions.changed')) void board?.read()
  }

  read() {
    void this.board.peek()?.read()
  }

  /** @param {boolean} is_live */
  poll(is_live) {
    const board = this.board.peek()
    if (!is_live || board?.is_stale) void board?.read()
  }

  close() {
    this.board.peek()?.close()
  }
}
