/**
 * A document that is open: as it is stored, and as the agent has it in the fields. No DOM.
 *
 *  D1 A save names the version that the agent began with. Where somebody saved meanwhile, fields that the agent did not
 *     change are taken over; when both changed the same field, the agent decides between the two.
 *  D2 What the agent typed is never replaced without being asked.
 */
import { batch, computed, signal } from '@preact/signals'
import { faultOf } from '../data/errors.js'

/** @typedef {import('../../page_types/knowledge.ts').KnowledgeDocument} KnowledgeDocument */
/** @typedef {import('../../page_types/knowledge.ts').KnowledgeImport} KnowledgeImport */
/** @typedef {import('../../page_types/fault.ts').Fault} Fault */
/** @typedef {{ content: string, language: string | null }} Fields */

/** Attempts of a save beside others. */
const MAX_TRIES = 4

export class OpenDocument {
  /** @type {import('@preact/signals').Signal<'loading' | 'ready' | 'failed' | 'gone'>} */
  state = signal('loading')
  fault = signal(/** @type {Fault | null} */ (null))
  /** As it is stored; folders have no content. @type {import('@preact/signals').Signal<KnowledgeDocument | null>} */
  stored = signal(null)
  /** The agent's changes, by field. @type {import('@preact/signals').Signal<Partial<Fields>>} */
  changes = signal({})
  /** The version that somebody else saved, when it has to be decided between both. @type {import('@preact/signals').Signal<KnowledgeDocument | null>} */
  theirs = signal(null)
  is_saving = signal(false)
  /** Why it could not be saved. */
  save_fault = signal(/** @type {Fault | null} */ (null))
  /** The import of the document; null for one that was written. @type {import('@preact/signals').Signal<KnowledgeImport | null>} */
  imported = signal(null)
  is_dirty = computed(() => Object.keys(this.changes.value).length > 0)
  /** The fields as they are shown. */
  fields = computed(() => ({ ...fieldsOf(this.stored.value), ...this.changes.value }))
  #api
  #reads = 0

  /**
   * @param {Pick<import('../data/project_api.js').ProjectApi, 'get' | 'patch'>} api
   * @param {string} id
   */
  constructor(api, id) {
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

  /**
   * @param {keyof Fields} field
   * @param {string | null} value
   */
  type(field, value) {
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

  /**
   * The document was changed, maybe by this agent.
   *
   * @param {{ version: number, is_active: boolean, updated_at: string }} node
   */
  hear({ version, is_active, updated_at }) {
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

  /**
   * Text typed while the request was under way is still to be saved.
   *
   * @param {KnowledgeDocument} node
   * @param {Partial<Fields>} sent
   */
  #saved(node, sent) {
    const { value: changes } = this.changes
    const later = Object.entries(changes).filter(([name, value]) => sent[/** @type {keyof Fields} */ (name)] !== value)
    batch(() => {
      this.#reads++
      this.stored.value = node
      this.theirs.value = null
      this.changes.value = Object.fromEntries(later)
    })
  }

  /**
   * Takes over a form of the server. Fields that both changed are left to the agent.
   *
   * @param {KnowledgeDocument} node
   */
  #take(node) {
    const { value: stored } = this.stored
    const { value: changes } = this.changes
    const before = fieldsOf(stored)
    const after = fieldsOf(node)
    const names = /** @type {(keyof Fields)[]} */ (Object.keys(changes))
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

  /** @param {KnowledgeDocument} node */
  async #readImport({ type }) {
    if (type === 'folder') return
    try {
      this.imported.value = await this.#api.get(`${this.#path}/import`)
    } catch (error) {
      if (faultOf(error).status === 404) this.imported.value = null
    }
  }
}

/**
 * @param {KnowledgeDocument | null} node
 * @returns {Fields}
 */
function fieldsOf(node) {
  return { content: node?.content ?? '', language: node?.language ?? null }
}
