/**
 * The agent's work with the cards of a board: the card that has the focus, the one that is carried, what is said to
 * screen readers, and the changes with their messages. No DOM.
 */

import { signal } from '@preact/signals'
import type { ApiError } from '../data/api.ts'
import type { Project } from '../data/project.ts'
import type { Fault } from '../records/fault.ts'
import type { AnyRecord } from '../records/record.ts'
import { toast, toastFault } from '../ui/overlays/toast.ts'
import type { Board } from './board.ts'
import { Conflict } from './card_changes.ts'
import { nameOfCard } from './cards.ts'
import type { Closing } from './closings.ts'
import type { BoardCard } from './records.ts'
import type { Resolution } from './resolution.ts'

export class Desk {
  readonly project: Project
  readonly board: Board

  /** The card that has or had the focus. */
  at = signal<string | null>(null)
  /** Asks the card of this id to take the focus; a new object each time. */
  next_focus = signal<{ id: string } | null>(null)
  /** The card that is carried by the keyboard, the stage it came from, and how to take the preview back. */
  carried = signal<{ id: string; from: string | null; to: string | null; back(): void } | null>(null)
  /** The card that the pointer drags, and what is below it: a stage, or a way to close. */
  dragged = signal<{ id: string; over: string | null } | null>(null)
  /** For screen readers. */
  said = signal('')
  /** A move that needs more fields. */
  asked = signal<{ id: string; stage_id: string; missing: string[] } | null>(null)

  constructor(project: Project, board: Board) {
    this.project = project
    this.board = board
  }

  focus(id: string) {
    this.at.value = id
    this.next_focus.value = { id }
  }

  /** The stages that a card can be moved to, in their order. */
  stages(): { _id: string; name: string; rules: Record<string, unknown> }[] {
    const { definitions } = this.project
    return definitions.value?.pipelines.find(({ _id }) => _id === this.board.pipeline_id)?.stages ?? []
  }

  nameOf(stage_id: string | null) {
    return this.stages().find(({ _id }) => _id === stage_id)?.name ?? 'No stage'
  }

  /** Moves a card. Where the stage asks for more, the agent is asked. */
  async move(id: string, stage_id: string, more: { is_forced?: boolean } = {}) {
    const card = this.board.card(id)?.peek()
    if (!card || card.stage?.stage_id === stage_id) return
    const name = nameOfCard(card)
    const to = this.nameOf(stage_id)
    try {
      await this.send(id, stage_id, more)
    } catch (error) {
      const fault = error as ApiError
      const { fields } = (fault.details ?? {}) as { fields?: string[] }
      this.said.value = `${name} stays in ${this.nameOf(this.board.card(id)?.peek().stage?.stage_id ?? null)}.`
      if (fault.code === 'STAGE_REQUIREMENTS_NOT_MET' && fields) {
        this.asked.value = { id, stage_id, missing: fields }
      } else if (error instanceof Conflict) {
        const now = error.ticket.is_closed ? 'closed it' : `moved it to ${this.nameOf(error.ticket.stage.stage_id)}`
        toast(`Somebody ${now} while you moved ${name}.`, {
          is_bad: true,
          ...(!error.ticket.is_closed && { act: () => void this.move(id, stage_id, { is_forced: true }) }),
          act_text: `Move to ${to}`,
        })
      } else toastFault(`${name} was not moved`, fault)
    }
  }

  /**
   * Moves a card, and tells so. A stage that closes tickets takes it off the board.
   *
   * @throws Conflict | ApiError
   */
  async send(id: string, stage_id: string, more: { is_forced?: boolean; texts?: AnyRecord }) {
    const card = this.board.card(id)?.peek()
    if (!card) return
    const stage = this.stages().find(({ _id }) => _id === stage_id)
    const is_closing = Boolean(stage?.rules.close_with)
    if (is_closing) this.#leave(id)
    await this.board.move(id, stage_id, { ...more, is_closing })
    const where = `${nameOfCard(card)} is ${is_closing ? 'closed:' : 'in'} ${this.nameOf(stage_id)}.`
    if (is_closing) this.#tellClosed(id, where, card.stage?.stage_id ?? null)
    else this.said.value = where
  }

  /** Closes a ticket in one of the ways that the pipeline has. */
  end(id: string, { stage_id, resolution }: Closing) {
    return stage_id === undefined ? this.close(id, resolution) : this.move(id, stage_id)
  }

  /** Closes a ticket, with a way back. */
  async close(id: string, resolution: Resolution) {
    const card = this.board.card(id)?.peek()
    if (!card) return
    const name = nameOfCard(card)
    this.#leave(id)
    try {
      await this.board.patch(id, { is_closed: true, resolution }, { is_closed: true })
      this.#tellClosed(id, `${name} is closed${resolution ? ` as ${resolution}` : ''}.`, null)
    } catch (error) {
      this.#explain(`${name} was not closed`, error)
    }
  }

  async assign(id: string, user_id: string | null) {
    const user = this.project.definitions.peek()?.users.find(({ _id }) => _id === user_id)
    const assigned_to = user ? { id: user._id, full_name: user.full_name, email: user.email } : null
    await this.#patch(id, 'The assignee was not changed', { assigned_to: user_id }, { assigned_to })
    this.said.value = user ? `Assigned to ${user.full_name}.` : 'Assigned to nobody.'
  }

  prioritize(id: string, priority: BoardCard['priority']) {
    return this.#patch(id, 'The priority was not changed', { priority }, { priority })
  }

  /** Picks a card up, to carry it by the keyboard. */
  lift(id: string) {
    const card = this.board.card(id)?.peek()
    if (!card) return
    const from = card.stage?.stage_id ?? null
    this.carried.value = { id, from, to: from, back() {} }
    const { place, count } = this.#placeOf(from)
    this.said.value =
      `${nameOfCard(card)} is picked up, in ${this.nameOf(from)}, stage ${place} of ${count}. ` +
      'Left and right choose a stage, space drops, escape cancels.'
  }

  /** Carries the card to the stage beside. */
  carry(step: 1 | -1) {
    const carried = this.carried.peek()
    if (!carried) return
    const stages = this.stages()
    const at = stages.findIndex(({ _id }) => _id === carried.to)
    const to = stages[Math.max(0, Math.min(stages.length - 1, at + step))]
    if (!to || to._id === carried.to) {
      this.said.value = `${this.nameOf(carried.to)} is the ${step > 0 ? 'last' : 'first'} stage.`
      return
    }
    carried.back()
    const back = to._id === carried.from ? () => {} : this.board.preview(carried.id, to._id)
    this.carried.value = { ...carried, to: to._id, back }
    const { place, count } = this.#placeOf(to._id)
    this.said.value = `Over ${to.name}, stage ${place} of ${count}.`
    this.focus(carried.id)
  }

  /** Drops the carried card where it is, or where it came from. */
  drop(is_wanted: boolean) {
    const carried = this.carried.peek()
    if (!carried) return
    const { id, from, to, back } = carried
    this.carried.value = null
    this.focus(id)
    if (is_wanted && to !== null && to !== from) {
      back()
      void this.move(id, to).then(() => this.focus(id))
      return
    }
    back()
    this.said.value = is_wanted
      ? `Dropped in ${this.nameOf(from)}, where it was.`
      : `Cancelled. It is in ${this.nameOf(from)}.`
  }

  /** Tells that a ticket is closed, with a way back: to the stage `from`, where closing has moved it. */
  #tellClosed(id: string, text: string, from: string | null) {
    const reopen = async () => {
      await this.board.reopen(id)
      if (from !== null) await this.board.move(id, from)
    }
    toast(text, { undo: () => void reopen().catch((fault) => toastFault('The ticket was not reopened', fault)) })
  }

  /** The card beside takes the focus of one that leaves. */
  #leave(id: string) {
    for (const { ids } of this.board.columns.peek()) {
      const at = ids.peek().indexOf(id)
      const next = at < 0 ? undefined : (ids.peek()[at + 1] ?? ids.peek()[at - 1])
      if (next) this.focus(next)
    }
  }

  async #patch(id: string, what: string, json: AnyRecord, overlay: Partial<BoardCard>) {
    try {
      await this.board.patch(id, json, overlay)
    } catch (error) {
      this.#explain(what, error)
    }
  }

  #explain(what: string, error: unknown) {
    toastFault(what, error as Fault)
  }

  #placeOf(stage_id: string | null) {
    const stages = this.stages()
    return { place: stages.findIndex(({ _id }) => _id === stage_id) + 1, count: stages.length }
  }
}
