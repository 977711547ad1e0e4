/**
 * The assistants of a project: the list with the figures of the day, and the assistant that is open. The figures follow the
 * answers and hand-overs of assistants as they happen; what colleagues set up is read now and then. No DOM.
 */

import { type Signal, signal } from '@preact/signals'
import type { Project } from '../data/project.ts'
import { Resource } from '../data/resource.ts'
import type { Assistant, AssistantOverview } from '../records/assistant.ts'
import type { ProjectEvent } from '../records/live.ts'
import { AssistantsApi } from './assistants_api.ts'
import { OpenAssistant } from './open_assistant.ts'
import type { AssistantsPlace } from './places.ts'

/** The permission to change assistants and to try them. */
const MANAGES_ASSISTANTS = 'console.manage_assistants'
const PAGE = 50
/** The time between two readings of what no event tells. */
const FRESH_MS = 20_000
/** Figures are read at most once in this time, however many answers there are. */
const FIGURES_MS = 1_000

export type AssistantList = { data: Assistant[]; total: number; has_more: boolean }

export class Assistants {
  readonly project_id
  readonly api: AssistantsApi
  /** True when the agent may create and change assistants. */
  readonly may_manage
  readonly list: Resource<AssistantList>
  readonly overview: Resource<AssistantOverview>
  open: Signal<OpenAssistant | null> = signal(null)
  #project
  #search = ''
  #shown = PAGE
  #read_at = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #page: AssistantsPlace['page'] | undefined

  constructor(project: Project) {
    this.#project = project
    this.project_id = project.id
    this.api = new AssistantsApi(project.api)
    this.may_manage = project.user.permissions.includes(MANAGES_ASSISTANTS)
    this.list = new Resource(() => this.#readList())
    this.overview = new Resource(() => this.api.overview())
  }

  get project() {
    return this.#project
  }

  /** Shows a place. What is there already stays. */
  show(place: AssistantsPlace) {
    this.#page = place.page
    this.#project.define()
    if (place.page === 'list') {
      if (this.#search !== place.search) this.#shown = PAGE
      this.#search = place.search
      this.open.value = null
    } else if (this.open.peek()?.id !== place.id) {
      this.open.value = new OpenAssistant(this.#project, this.api, place.id)
    }
    this.read()
  }

  /** Reads again what is shown. */
  read() {
    this.#read_at = Date.now()
    if (this.#page) void this.overview.read()
    if (this.#page === 'list') void this.list.read()
    if (this.#page === 'one') this.open.peek()?.read()
  }

  more() {
    this.#shown += PAGE
    return this.list.read()
  }

  hear(events: readonly ProjectEvent[]) {
    if (this.#page && this.#timer === undefined && events.some(isOfAssistant)) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined
        void this.overview.read()
      }, FIGURES_MS)
    }
  }

  poll(is_live: boolean) {
    if (globalThis.document?.hidden) return
    if (!is_live || Date.now() - this.#read_at > FRESH_MS) this.read()
  }

  /** Ends the reading, when the section is left. */
  hide() {
    this.#page = undefined
    this.open.value = null
  }

  close() {
    clearTimeout(this.#timer)
  }

  /** Keeps what the server answered to a change. */
  keep(assistant: Assistant) {
    if (this.open.peek()?.id === assistant._id) this.open.peek()?.assistant.put(assistant)
    const { value } = this.list.state.peek()
    if (value) this.list.put({ ...value, data: value.data.map((one) => (one._id === assistant._id ? assistant : one)) })
  }

  async #readList(): Promise<AssistantList> {
    const search = this.#search
    const data: Assistant[] = []
    for (;;) {
      const page = await this.api.list({ ...(search && { search }), limit: PAGE, offset: data.length })
      data.push(...page.data)
      if (!page.has_more || data.length >= this.#shown) return { data, total: page.total, has_more: page.has_more }
    }
  }
}

/** An answer, or a hand-over, also one after a failure. */
function isOfAssistant({ type, data }: ProjectEvent) {
  if (type === 'message.created') return Boolean((data as { assistant_id?: string | null }).assistant_id)
  return type === 'event.recorded' && (data as { event_type?: string }).event_type === 'assistant.handed_over'
}
