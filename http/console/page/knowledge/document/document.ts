/**
 * A document that is open: as it is stored, and as the agent has it in the fields. No DOM.
 *
 *  D1 A save names the version that the agent began with. Where somebody saved meanwhile, fields that the agent did not
 *     change are taken over; when both changed the same field, the agent decides between the two.
 *  D2 What the agent typed is never replaced without being asked.
 */

import { batch, computed, type Signal, signal } from '@preact/signals'
import { faultOf } from '../../data/errors.ts'
import type { ProjectApi } from '../../data/project_api.ts'
import type { Fault } from '../../records/fault.ts'
import type { KnowledgeDocument, KnowledgeImport } from '../../records/knowledge.ts'

type Fields = { content: string; language: string | null }

/** Attempts of a save beside others. */
const MAX_TRIES = 4

export class OpenDocument {
  readonly id: string

  state: Signal<'loading' | 'ready' | 'failed' | 'gone'> = signal('loading')
  fault = signal<Fault | null>(null)
  /** As it is stored; folders have no content. */
  stored: Signal<KnowledgeDocument | null> = signal(null)
  /** The agent's changes, by field. */
  changes: Signal<Partial<Fields>> = signal({})
  /** The version that somebody else saved, when it has to be decided between both. */
  theirs: Signal<KnowledgeDocument | null> = signal(null)
  is_saving = signal(false)
  /** Why it could not be saved. */
  save_fault = signal<Fault | null>(null)
  /** The import of the document; null for one that was written. */
  imported: Signal<KnowledgeImport | null> = signal(null)
  is_dirty = computed(() => Object.keys(this.changes.value).length > 0)
  /** The fields as they are shown. */
  fields = computed(() => ({ ...fieldsOf(this.stored.value), ...this.changes.value }))
  #api
  #reads = 0

  constructor(api: Pick<ProjectApi, 'get' | 'patch'>, id: string) {
    this.#api = api
    this.id = id
    void this.read()
  }

  /** Reads it again. What the agent typed stays. */
  async read() {
    const read = ++this.#reads
    try {
      const node = await this.#api.get(this.#path)
      if (read !== this.#reads) return
      batch(() => {
        this.fault.value = null
        this.#take(node)
        this.state.value = 'ready'
      })
      await this.#readImport(node)
    } catch (error) {
      if (read !== this.#reads) return
      const fault = faultOf(error)
      if (fault.status === 404 || fault.status === 400) this.state.value = 'gone'
      else if (this.state.value !== 'ready') {
        this.fault.value = fault
        this.state.value = 'failed'
      }
    }
  }

  type(field: keyof Fields, value: string | null) {
    const { [field]: _, ...others } = this.changes.value
    const is_same = fieldsOf(this.stored.value)[field] === value
    this.changes.value = is_same ? others : { ...others, [field]: value }
  }

  discard() {
    batch(() => {
      this.changes.value = {}
      if (this.theirs.value) this.stored.value = this.theirs.value
      this.theirs.value = null
      this.save_fault.value = null
    })
  }

  /** Saves what was changed. Resolves to true when it is stored. */
  async save() {
    if (this.is_saving.value || !this.is_dirty.value) return !this.is_dirty.value
    this.is_saving.value = true
    this.save_fault.value = null
    try {
      return await this.#save()
    } catch (error) {
      this.save_fault.value = faultOf(error)
      return false
    } finally {
      this.is_saving.value = false
    }
  }

  /** Saves the agent's fields over those of somebody else, which the agent has seen. */
  keepMine() {
    const { value: theirs } = this.theirs
    if (theirs) {
      batch(() => {
        this.stored.value = theirs
        this.theirs.value = null
      })
    }
    return this.save()
  }

  /** The document was changed, maybe by this agent. */
  hear({ version, is_active, updated_at }: { version: number; is_active: boolean; updated_at: string }) {
    const known = this.theirs.value ?? this.stored.value
    if (!is_active) this.state.value = 'gone'
    else if (!known || version > known.version || updated_at > known.updated_at) {
      if (!this.is_saving.value) void this.read()
    }
  }

  /** True while the index or an import is still to come. */
  get isPending() {
    return this.state.value === 'ready' && this.stored.value?.index_status === 'pending'
  }

  get #path() {
    return `knowledge/nodes/${this.id}`
  }

  async #save() {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const sent = this.changes.value
      const { value: stored } = this.stored
      try {
        const node = await this.#api.patch(this.#path, sent, { version: stored?.version })
        this.#saved(node, sent)
        return true
      } catch (error) {
        if (faultOf(error).status !== 412) throw error
      }
      this.#take(await this.#api.get(this.#path))
      if (this.theirs.value) return false
    }
    throw new Error('Others save this document all the time. Try again in a moment.')
  }

  /** Text typed while the request was under way is still to be saved. */
  #saved(node: KnowledgeDocument, sent: Partial<Fields>) {
    const { value: changes } = this.changes
    const later = Object.entries(changes).filter(([name, value]) => sent[name as keyof Fields] !== value)
    batch(() => {
      this.#reads++
      this.stored.value = node
      this.theirs.value = null
      this.changes.value = Object.fromEntries(later)
    })
  }

  /** Takes over a form of the server. Fields that both changed are left to the agent. */
  #take(node: KnowledgeDocument) {
    const { value: stored } = this.stored
    const { value: changes } = this.changes
    const before = fieldsOf(stored)
    const after = fieldsOf(node)
    const names = Object.keys(changes) as (keyof Fields)[]
    const open = stored ? names.filter((name) => after[name] !== before[name] && after[name] !== changes[name]) : []
    batch(() => {
      if (open.length > 0) {
        this.theirs.value = node
        return
      }
      this.stored.value = node
      this.theirs.value = null
      const left = names.filter((name) => changes[name] !== after[name])
      if (left.length < names.length) this.changes.value = Object.fromEntries(left.map((name) => [name, changes[name]]))
    })
  }

  async #readImport({ type }: KnowledgeDocument) {
    if (type === 'folder') return
    try {
      this.imported.value = await this.#api.get(`${this.#path}/import`)
    } catch (error) {
      if (faultOf(error).status === 404) this.imported.value = null
    }
  }
}

function fieldsOf(node: KnowledgeDocument | null): Fields {
  return { content: node?.content ?? '', language: node?.language ?? null }
}
