/**
 * A bulk send while an agent composes it: from a file to the request. Everything that is shown follows from the form and
 * from the templates. No DOM.
 *
 *  C1 The key of the request is kept before the request is made, so that a repetition after a lost answer or a reload
 *     sends once. While the answer is unknown, the form does not change.
 *  C2 A refusal that the server decided under the key ends the request. Others leave it as it was.
 */

import { batch, computed, type Signal, signal } from '@preact/signals'
import { faultOf } from '../../data/errors.ts'
import type { Project } from '../../data/project.ts'
import type { Fault } from '../../records/fault.ts'
import type { Template } from '../../records/template.ts'
import { cloudChannels } from '../records.ts'
import { bulkRequest, isDecided } from './bulk_request.ts'
import type { Form, Source } from './composition_form.ts'
import { CsvError, decode, MAX_BYTES, parseCsv } from './csv.ts'
import type { Drafts } from './drafts.ts'
import { hindrancesOf } from './hindrances.ts'
import { columnNames, guessColumns, guessSources, readSheet } from './sheet.ts'
import { readTemplates } from './template_list.ts'

const EMPTY: Form = {
  file_name: null,
  rows: [],
  has_head: true,
  phone_at: 0,
  channel_id: null,
  template: null,
  sources: {},
  campaign_name: '',
  leaves_out_faults: false,
  sending: null,
}

const SAVE_AFTER_MS = 250
/** WhatsApp's usual pace, where the channel has no other. */
const USUAL_PER_SECOND = 80
/** Pauses before a request without an answer is repeated. */
const REPEATED_AFTER_MS = [1_000, 2_000, 4_000, 8_000]
/** The server forgets keys after a day. */
const KEY_KEPT_MS = 23 * 3_600_000

export class Composition {
  /** Numbers that can send in bulk. */
  readonly channels
  readonly channel
  readonly template
  readonly columns
  readonly sheet
  readonly hindrances
  /** Seconds that sending takes, and the messages a second. */
  readonly estimate

  form = signal(EMPTY)
  /** False until the draft is read. */
  is_ready = signal(false)
  /** Reading a file: its name; null otherwise. */
  reading = signal<string | null>(null)
  /** Why the file was not read. */
  file_fault = signal<string | null>(null)
  templates = signal<{ channel_id: string; list: Template[] | null; fault: Fault | null } | null>(null)
  state: Signal<'idle' | 'sending' | 'unsure'> = signal('idle')
  /** Why the request was refused, or why its answer is unknown. */
  fault = signal<Fault | null>(null)
  #project
  #drafts
  #key
  #waits
  #saver: number | undefined
  #readings = 0

  /** @param options `waits` are the pauses between repetitions, in milliseconds */
  constructor({
    project,
    drafts,
    waits = REPEATED_AFTER_MS,
  }: {
    project: Pick<Project, 'id' | 'api' | 'user' | 'definitions' | 'define'>
    drafts: Pick<Drafts, 'get' | 'put' | 'delete'>
    waits?: readonly number[]
  }) {
    this.#project = project
    this.#drafts = drafts
    this.#key = `broadcast ${project.user._id} ${project.id}`
    this.#waits = waits
    this.channels = computed(() => cloudChannels(project.definitions.value))
    this.channel = computed(() => this.channels.value.find(({ _id }) => _id === this.form.value.channel_id))
    this.template = computed(() => {
      const { template } = this.form.value
      const known = this.templates.value
      if (!template || known?.channel_id !== this.form.value.channel_id) return undefined
      return known.list?.find(({ name, language }) => name === template.name && language === template.language)
    })
    this.columns = computed(() => columnNames(this.form.value.rows, this.form.value.has_head))
    this.sheet = computed(() => {
      const { rows, has_head, phone_at, sources, template } = this.form.value
      return readSheet({ rows, has_head, phone_at, variables: template?.variables ?? [], sources })
    })
    this.hindrances = computed(() => {
      const { people, faults } = this.sheet.value
      const [template, channel] = [this.template.value, this.channel.value]
      return hindrancesOf(this.form.value, { template, channel, people, faults })
    })
    this.estimate = computed(() => {
      const per_second = this.channel.value?.messages_per_second ?? USUAL_PER_SECOND
      return { per_second, seconds: this.sheet.value.people.length / per_second }
    })
  }

  /** Reads the draft, once. */
  async open() {
    this.#project.define()
    if (this.is_ready.peek()) return
    const draft: Form | undefined = await this.#drafts.get(this.#key)
    if (this.is_ready.peek()) return
    batch(() => {
      this.is_ready.value = true
      if (draft) this.form.value = { ...EMPTY, ...draft }
      const { sending } = this.form.value
      if (sending && Date.now() - Date.parse(sending.begun_at) > KEY_KEPT_MS) this.#set({ sending: null })
      else if (sending) this.state.value = 'unsure'
    })
  }

  /** Chooses the only number, and reads the templates of the chosen one. Called when the numbers are known. */
  settle() {
    const { channel_id } = this.form.peek()
    const active = this.channels.peek().filter(({ is_active }) => is_active)
    if (channel_id === null && active.length === 1 && active[0]) return this.choose(active[0]._id)
    if (channel_id !== null && this.templates.peek()?.channel_id !== channel_id) void this.readTemplates(channel_id)
  }

  /** Changes the form; not while a request has no answer. */
  change(change: Partial<Form>) {
    if (this.state.peek() !== 'idle') return
    this.fault.value = null
    this.#set(change)
  }

  /** Chooses the number that sends. */
  choose(channel_id: string) {
    if (this.state.peek() !== 'idle') return
    if (channel_id !== this.form.peek().channel_id) this.change({ channel_id, template: null, sources: {} })
    void this.readTemplates(channel_id)
  }

  chooseTemplate({ name, language, variables }: Pick<Template, 'name' | 'language' | 'variables'>) {
    const { sources } = this.form.peek()
    const guessed = guessSources(variables, this.columns.peek(), this.form.peek().phone_at)
    const kept = variables.every((variable) => sources[variable])
    this.change({ template: { name, language, variables }, sources: kept ? sources : guessed })
  }

  changeSource(variable: string, change: Partial<Source>) {
    const { sources } = this.form.peek()
    const source = { column: null, text: '', ...sources[variable], ...change }
    this.change({ sources: { ...sources, [variable]: source } })
  }

  async readTemplates(channel_id: string) {
    this.templates.value = { channel_id, list: null, fault: null }
    try {
      const list = await readTemplates(this.#project.api, channel_id)
      if (this.templates.peek()?.channel_id !== channel_id) return
      this.templates.value = { channel_id, list, fault: null }
      // The template may have changed since the draft was made.
      const template = this.template.peek()
      if (template && !isSame(template.variables, this.form.peek().template?.variables)) this.chooseTemplate(template)
    } catch (error) {
      if (this.templates.peek()?.channel_id === channel_id) {
        this.templates.value = { channel_id, list: null, fault: faultOf(error) }
      }
    }
  }

  readFile(file: Pick<File, 'name' | 'size' | 'arrayBuffer'>) {
    return this.#read(file.name, async () => {
      if (file.size > MAX_BYTES) throw new CsvError('The file has more than 20 MB. A broadcast has up to 5,000 people.')
      return decode(new Uint8Array(await file.arrayBuffer()))
    })
  }

  readPasted(text: string) {
    return this.#read(null, async () => text)
  }

  async #read(file_name: string | null, textOf: () => Promise<string>) {
    if (this.state.peek() !== 'idle') return
    const reading = ++this.#readings
    this.reading.value = file_name ?? 'the text'
    this.file_fault.value = null
    try {
      const rows = await parseCsv(await textOf())
      if (reading !== this.#readings) return
      if (rows.length === 0) throw new CsvError('There is nothing in it.')
      const guessed = guessColumns(rows)
      const names = columnNames(rows, guessed.has_head)
      const sources = guessSources(this.form.peek().template?.variables ?? [], names, guessed.phone_at)
      this.change({ file_name, rows, ...guessed, sources, leaves_out_faults: false })
    } catch (error) {
      if (reading !== this.#readings) return
      this.file_fault.value = error instanceof CsvError ? error.message : 'The file could not be read.'
    } finally {
      if (reading === this.#readings) this.reading.value = null
    }
  }

  /** Throws everything away. */
  clear() {
    if (this.state.peek() === 'sending') return
    clearTimeout(this.#saver)
    batch(() => {
      this.form.value = EMPTY
      this.state.value = 'idle'
      this.fault.value = null
      this.file_fault.value = null
    })
    void this.#drafts.delete(this.#key)
    this.settle()
  }

  /** The agent wants to change what may have been sent already. */
  release() {
    if (this.state.peek() !== 'unsure') return
    this.state.value = 'idle'
    this.fault.value = null
    this.#set({ sending: null })
  }

  /**
   * Sends it, or finds out whether it was sent. Resolves to the id of the broadcast; to undefined when it was refused or
   * the answer is unknown, which `state` and `fault` tell.
   */
  async send(): Promise<string | undefined> {
    if (this.state.peek() === 'sending') return undefined
    this.state.value = 'sending'
    this.fault.value = null
    const sending = this.form.peek().sending ?? { key: crypto.randomUUID(), begun_at: new Date().toISOString() }
    this.form.value = { ...this.form.peek(), sending }
    clearTimeout(this.#saver)
    await this.#drafts.put(this.#key, this.form.peek())
    const body = bulkRequest(this.form.peek(), this.sheet.peek().people)
    for (const wait_ms of [...this.#waits, null]) {
      try {
        const { broadcast_id } = await this.#project.api.post('messages/bulk', body, { key: sending.key })
        this.state.value = 'idle'
        this.clear()
        return broadcast_id
      } catch (error) {
        const fault = faultOf(error)
        this.fault.value = fault
        if (isDecided(fault)) {
          this.state.value = 'idle'
          this.#set({ sending: null })
          return undefined
        }
        if (wait_ms === null || fault.status === 401 || fault.status === 403) break
        await new Promise((resolve) => setTimeout(resolve, Math.max(wait_ms, 1000 * (fault.retry_after_s ?? 0))))
      }
    }
    this.state.value = 'unsure'
    return undefined
  }

  close() {
    clearTimeout(this.#saver)
    if (this.is_ready.peek() && this.form.peek() !== EMPTY) void this.#drafts.put(this.#key, this.form.peek())
  }

  #set(change: Partial<Form>) {
    this.form.value = { ...this.form.peek(), ...change }
    clearTimeout(this.#saver)
    this.#saver = setTimeout(() => void this.#drafts.put(this.#key, this.form.peek()), SAVE_AFTER_MS)
  }
}

function isSame(some: readonly string[], others: readonly string[] | undefined) {
  return some.join('\n') === others?.join('\n')
}
