/** The boards of a project that were shown last, and the one that is shown. No DOM. */

import { signal } from '@preact/signals'
import type { Change } from '../data/apply_event.ts'
import type { Project } from '../data/project.ts'
import type { ProjectEvent } from '../records/live.ts'
import { Board } from './board.ts'
import type { BoardFilter } from './records.ts'

export class Boards {
  board = signal<Board | null>(null)
  #project

  constructor(project: Project) {
    this.#project = project
    project.define()
  }

  show(pipeline_id: string, filter: BoardFilter) {
    const before = this.board.peek()
    const is_same = before?.pipeline_id === pipeline_id && JSON.stringify(before.filter) === JSON.stringify(filter)
    if (is_same) return
    before?.close()
    const board = new Board(this.#project, pipeline_id, filter)
    this.board.value = board
    void board.read()
  }

  hear(events: readonly ProjectEvent[], changes: readonly Change[]) {
    const board = this.board.peek()
    board?.hear(events, changes)
    // Stages may have come or gone.
    if (events.some(({ type }) => type === 'definitions.changed')) void board?.read()
  }

  read() {
    void this.board.peek()?.read()
  }

  poll(is_live: boolean) {
    const board = this.board.peek()
    if (!is_live || board?.is_stale) void board?.read()
  }

  close() {
    this.board.peek()?.close()
  }
}
