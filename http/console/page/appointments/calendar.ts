/**
 * The appointments of the days that are shown, and those that wait for a confirmation. No DOM.
 *
 *  C1 A change is shown at once, over what the server said; a refusal takes it back and is thrown.
 *  C2 Of two forms of an appointment, the one that was changed later counts.
 */

import { batch, computed, type Signal, signal } from '@preact/signals'
import { faultOf } from '../data/errors.ts'
import type { ProjectApi } from '../data/project_api.ts'
import type { Appointment, CalendarEntry } from '../records/appointment.ts'
import type { Fault } from '../records/fault.ts'
import type { ProjectEvent } from '../records/live.ts'
import type { AnyRecord } from '../records/record.ts'
import { STATUS_AFTER, type Step } from './words.ts'

type Span = { from: number; before: number; assigned_to: string | undefined }

const PATH = 'scheduling/appointments'
/** Appointments that are kept when other days are shown. */
const MAX_KEPT = 5_000
/** People that are looked up together. */
const MAX_LOOKUPS = 20

/** An appointment that is being moved, or given another end, by the pointer or by keys: from a time, to a time. */
export type Moving = {
  id: string
  by: 'pointer' | 'keys'
  starts: number
  ends: number
  before: { starts: number; ends: number }
}

/** Pending appointments of so long ago are still shown among those that wait. */
const FORGOTTEN_MS = 31 * 86_400_000

export class Calendar {
  moving = signal<Moving | null>(null)
  state: Signal<'loading' | 'ready' | 'failed'> = signal('loading')
  fault = signal<Fault | null>(null)
  /** There are more than the server answers. */
  has_more = signal(false)
  /** Those that are pending, also of the last days, the earliest first; null until they are read. */
  waiting = signal<readonly string[] | null>(null)
  waiting_fault = signal<Fault | null>(null)
  /** As the server said them. */
  #said: Signal<ReadonlyMap<string, CalendarEntry>> = signal(new Map())
  /** Changes that are not confirmed yet. */
  #changes: Signal<ReadonlyMap<string, Partial<CalendarEntry>>> = signal(new Map())
  #api
  #span: Span | undefined
  #reads = 0
  #looking = new Set<string>()

  /** All known ones by id, with changes. */
  entries = computed(() => {
    const entries = new Map(this.#said.value)
    for (const [id, change] of this.#changes.value) {
      const entry = entries.get(id)
      if (entry) entries.set(id, { ...entry, ...change })
    }
    const { value: moving } = this.moving
    const moved = moving && entries.get(moving.id)
    if (moved) {
      const { starts, ends } = moving
      const times = { starts_at: new Date(starts).toISOString(), ends_at: new Date(ends).toISOString() }
      entries.set(moving.id, { ...moved, ...times })
    }
    return entries as ReadonlyMap<string, CalendarEntry>
  })

  constructor(api: Pick<ProjectApi, 'get' | 'post' | 'patch'>) {
    this.#api = api
  }

  /** The appointments between two moments, in order. */
  within({ from, before, assigned_to }: Span) {
    return [...this.entries.value.values()]
      .filter(({ starts_at, ends_at }) => Date.parse(starts_at) < before && Date.parse(ends_at) > from)
      .filter((entry) => !assigned_to || entry.assigned_to?.id === assigned_to)
      .sort((one, other) => Date.parse(one.starts_at) - Date.parse(other.starts_at) || one.number - other.number)
  }

  /** Shows another span. What is known of it is shown at once. */
  show(span: Span) {
    const before = this.#span
    this.#span = span
    if (
      before &&
      before.from === span.from &&
      before.before === span.before &&
      before.assigned_to === span.assigned_to
    ) {
      return
    }
    return this.read()
  }

  /** Reads the span again, and what is pending. */
  async read() {
    void this.readWaiting()
    const span = this.#span
    if (!span) return
    const read = ++this.#reads
    try {
      const { from, before, assigned_to } = span
      const { data, has_more } = await this.#api.get('scheduling/calendar', {
        from: new Date(from).toISOString(),
        before: new Date(before).toISOString(),
        assigned_to,
      })
      if (read !== this.#reads) return
      batch(() => {
        if (this.#said.value.size > MAX_KEPT) this.#said.value = new Map()
        this.#keep(data)
        this.has_more.value = has_more
        this.fault.value = null
        this.state.value = 'ready'
      })
    } catch (error) {
      if (read !== this.#reads || this.state.value === 'ready') return
      this.fault.value = faultOf(error)
      this.state.value = 'failed'
    }
  }

  async readWaiting() {
    try {
      const { data } = await this.#api.get('scheduling/calendar', {
        from: new Date(Date.now() - FORGOTTEN_MS).toISOString(),
        status: 'pending',
      })
      batch(() => {
        this.#keep(data)
        this.waiting_fault.value = null
        this.waiting.value = data.map(({ id }: CalendarEntry) => id)
      })
    } catch (error) {
      if (this.waiting.value === null) this.waiting_fault.value = faultOf(error)
    }
  }

  /** The appointment; it is read when it is not known. */
  async find(id: string): Promise<CalendarEntry> {
    const known = this.entries.value.get(id)
    if (known) return known
    const entry = await this.#api.get(`${PATH}/${encodeURIComponent(id)}`)
    this.#keep([entry])
    return entry
  }

  /**
   * @param patch as the request takes it
   * @param overlay as it is shown until the answer
   */
  change(id: string, patch: Record<string, unknown>, overlay: Partial<CalendarEntry> = {}): Promise<Appointment> {
    return this.#over(id, overlay, () => this.#api.patch(`${PATH}/${id}`, patch))
  }

  /** Confirms, completes or cancels, or records a no-show. */
  step(id: string, event: Step): Promise<Appointment> {
    const status = STATUS_AFTER[event]
    return this.#over(id, { status }, () => this.#api.post(`${PATH}/${id}/${event}`))
  }

  /** @param key repeats of the request have the same one */
  async create(
    fields: Record<string, unknown>,
    key: string,
    people: Pick<CalendarEntry, 'contact' | 'customer'> = {},
  ): Promise<Appointment> {
    const appointment = await this.#api.post(PATH, fields, { key })
    this.#keep([{ ...appointment, ...people }])
    return appointment
  }

  hear(events: readonly ProjectEvent[]) {
    const heard = events.filter(({ type }) => type === 'appointment.changed').map(({ data }) => data as AnyRecord)
    if (heard.length === 0) return
    if (heard.some(({ partial }) => partial)) void this.read()
    this.#keep(heard.filter(({ partial }) => !partial))
  }

  poll(is_live: boolean) {
    if (!is_live) void this.read()
  }

  async #over(id: string, overlay: Partial<CalendarEntry>, ask: () => Promise<Appointment>) {
    this.#changes.value = new Map(this.#changes.value).set(id, { ...this.#changes.value.get(id), ...overlay })
    try {
      const appointment = await ask()
      this.#keep([appointment])
      return appointment
    } finally {
      const changes = new Map(this.#changes.value)
      changes.delete(id)
      this.#changes.value = changes
    }
  }

  /** Answers to changes and events lack the names of the people. */
  #keep(entries: readonly CalendarEntry[]) {
    const said = new Map(this.#said.value)
    for (const entry of entries) {
      const known = said.get(entry.id)
      if (known && known.updated_at > entry.updated_at) continue
      const contact = entry.contact ?? (known?.chat_user === entry.chat_user ? known.contact : undefined)
      const customer = entry.customer ?? (known?.customer_id === entry.customer_id ? known.customer : undefined)
      said.set(entry.id, { ...entry, ...(contact && { contact }), ...(customer && { customer }) })
    }
    const waiting = this.waiting.value && this.#waitingAmong(said)
    batch(() => {
      this.#said.value = said
      if (waiting) this.waiting.value = waiting
    })
    this.#lookUp(entries)
  }

  #waitingAmong(said: ReadonlyMap<string, CalendarEntry>) {
    const first = Date.now() - FORGOTTEN_MS
    return [...said.values()]
      .filter(({ status, ends_at }) => status === 'pending' && Date.parse(ends_at) > first)
      .sort((one, other) => Date.parse(one.starts_at) - Date.parse(other.starts_at))
      .map(({ id }) => id)
  }

  /** Reads the names of people that are not known. */
  #lookUp(entries: readonly CalendarEntry[]) {
    for (const { id, chat_user } of entries) {
      const known = this.#said.peek().get(id)
      if (!chat_user || known?.contact || this.#looking.has(chat_user) || this.#looking.size >= MAX_LOOKUPS) continue
      this.#looking.add(chat_user)
      this.#api
        .get(`contacts/${chat_user}`)
        .then(({ _id, name, phone }) => this.#name(chat_user, { _id, name, phone }))
        .catch(() => {})
        .finally(() => this.#looking.delete(chat_user))
    }
  }

  #name(chat_user: string, contact: NonNullable<CalendarEntry['contact']>) {
    const said = new Map(this.#said.value)
    for (const [id, entry] of said) if (entry.chat_user === chat_user) said.set(id, { ...entry, contact })
    this.#said.value = said
  }
}
