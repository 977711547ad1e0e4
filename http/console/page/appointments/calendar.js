/**
 * The appointments of the days that are shown, and those that wait for a confirmation. No DOM.
 *
 *  C1 A change is shown at once, over what the server said; a refusal takes it back and is thrown.
 *  C2 Of two forms of an appointment, the one that was changed later counts.
 */
import { batch, computed, signal } from '@preact/signals'
import { faultOf } from '../data/errors.js'

/** @typedef {import('../../page_types/appointment.ts').CalendarEntry} CalendarEntry */
/** @typedef {import('../../page_types/appointment.ts').Appointment} Appointment */
/** @typedef {import('../../page_types/fault.ts').Fault} Fault */
/** @typedef {{ from: number, before: number, assigned_to: string | undefined }} Span */

const PATH = 'scheduling/appointments'
/** Appointments that are kept when other days are shown. */
const MAX_KEPT = 5_000
/** People that are looked up together. */
const MAX_LOOKUPS = 20

/**
 * An appointment that is being moved, or given another end, by the pointer or by keys: from a time, to a time.
 *
 * @typedef {{ id: string, by: 'pointer' | 'keys', starts: number, ends: number, before: { starts: number, ends: number } }} Moving
 */

/** Pending appointments of so long ago are still shown among those that wait. */
const FORGOTTEN_MS = 31 * 86_400_000

export class Calendar {
  moving = signal(/** @type {Moving | null} */ (null))
  /** @type {import('@preact/signals').Signal<'loading' | 'ready' | 'failed'>} */
  state = signal('loading')
  fault = signal(/** @type {Fault | null} */ (null))
  /** There are more than the server answers. */
  has_more = signal(false)
  /** Those that are pending, also of the last days, the earliest first; null until they are read. */
  waiting = signal(/** @type {readonly string[] | null} */ (null))
  waiting_fault = signal(/** @type {Fault | null} */ (null))
  /** As the server said them. @type {import('@preact/signals').Signal<ReadonlyMap<string, CalendarEntry>>} */
  #said = signal(new Map())
  /** Changes that are not confirmed yet. @type {import('@preact/signals').Signal<ReadonlyMap<string, Partial<CalendarEntry>>>} */
  #changes = signal(new Map())
  #api
  /** @type {Span | undefined} */
  #span
  #reads = 0
  /** @type {Set<string>} */
  #looking = new Set()

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
    return /** @type {ReadonlyMap<string, CalendarEntry>} */ (entries)
  })

  /** @param {Pick<import('../data/project_api.js').ProjectApi, 'get' | 'post' | 'patch'>} api */
  constructor(api) {
    this.#api = api
  }

  /**
   * The appointments between two moments, in order.
   *
   * @param {Span} span
   */
  within({ from, before, assigned_to }) {
    return [...this.entries.value.values()]
      .filter(({ starts_at, ends_at }) => Date.parse(starts_at) < before && Date.parse(ends_at) > from)
      .filter((entry) => !assigned_to || entry.assigned_to?.id === assigned_to)
      .sort((one, other) => Date.parse(one.starts_at) - Date.parse(other.starts_at) || one.number - other.number)
  }

  /** Shows another span. What is known of it is shown at once. @param {Span} span */
  show(span) {
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
        this.waiting.value = data.map((/** @type {CalendarEntry} */ { id }) => id)
      })
    } catch (error) {
      if (this.waiting.value === null) this.waiting_fault.value = faultOf(error)
    }
  }

  /** The appointment; it is read when it is not known. @param {string} id @returns {Promise<CalendarEntry>} */
  async find(id) {
    const known = this.entries.value.get(id)
    if (known) return known
    const entry = await this.#api.get(`${PATH}/${encodeURIComponent(id)}`)
    this.#keep([entry])
    return entry
  }

  /**
   * @param {string} id
   * @param {Record<string, unknown>} patch as the request takes it
   * @param {Partial<CalendarEntry>} [shown] as it is shown until the answer
   * @returns {Promise<Appointment>}
   */
  change(id, patch, shown = {}) {
    return this.#over(id, shown, () => this.#api.patch(`${PATH}/${id}`, patch))
  }

  /**
   * Confirms, completes or cancels, or records a no-show.
   *
   * @param {string} id
   * @param {string} event
   * @returns {Promise<Appointment>}
   */
  step(id, event) {
    const statuses = { confirm: 'confirmed', complete: 'completed', cancel: 'cancelled', 'no-show': 'no_show' }
    const status = /** @type {Record<string, any>} */ (statuses)[event]
    return this.#over(id, { status }, () => this.#api.post(`${PATH}/${id}/${event}`))
  }

  /**
   * @param {Record<string, unknown>} fields
   * @param {string} key repeats of the request have the same one
   * @param {Pick<CalendarEntry, 'contact' | 'customer'>} [people]
   * @returns {Promise<Appointment>}
   */
  async create(fields, key, people = {}) {
    const appointment = await this.#api.post(PATH, fields, { key })
    this.#keep([{ ...appointment, ...people }])
    return appointment
  }

  /** @param {readonly import('../../page_types/live.ts').ProjectEvent[]} events */
  hear(events) {
    const heard = events
      .filter(({ type }) => type === 'appointment.changed')
      .map(({ data }) => /** @type {any} */ (data))
    if (heard.length === 0) return
    if (heard.some(({ partial }) => partial)) void this.read()
    this.#keep(heard.filter(({ partial }) => !partial))
  }

  /** @param {boolean} is_live */
  poll(is_live) {
    if (!is_live) void this.read()
  }

  /**
   * @param {string} id
   * @param {Partial<CalendarEntry>} shown
   * @param {() => Promise<Appointment>} ask
   */
  async #over(id, shown, ask) {
    this.#changes.value = new Map(this.#changes.value).set(id, { ...this.#changes.value.get(id), ...shown })
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

  /**
   * Answers to changes and events lack the names of the people.
   *
   * @param {readonly CalendarEntry[]} entries
   */
  #keep(entries) {
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

  /** @param {ReadonlyMap<string, CalendarEntry>} said */
  #waitingAmong(said) {
    const first = Date.now() - FORGOTTEN_MS
    return [...said.values()]
      .filter(({ status, ends_at }) => status === 'pending' && Date.parse(ends_at) > first)
      .sort((one, other) => Date.parse(one.starts_at) - Date.parse(other.starts_at))
      .map(({ id }) => id)
  }

  /** Reads the names of people that are not known. @param {readonly CalendarEntry[]} entries */
  #lookUp(entries) {
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

  /**
   * @param {string} chat_user
   * @param {NonNullable<CalendarEntry['contact']>} contact
   */
  #name(chat_user, contact) {
    const said = new Map(this.#said.value)
    for (const [id, entry] of said) if (entry.chat_user === chat_user) said.set(id, { ...entry, contact })
    this.#said.value = said
  }
}
