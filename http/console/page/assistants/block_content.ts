/**
 * The content of a block: as it is stored, and as the agent has it in the field. No DOM.
 *
 *  B1 Before a save, the version is read again. Where it is not the one that the agent began with, nothing is saved: the agent
 *     sees both and decides. Versions are kept for ever, so a save within the same moment loses nothing.
 *  B2 What the agent typed is never replaced without being asked.
 */

import { batch, computed, type Signal, signal } from '@preact/signals'
import { faultOf } from '../data/errors.ts'
import type { AttachedBlock, BlockVersion } from '../records/assistant.ts'
import type { Fault } from '../records/fault.ts'
import type { AssistantsApi } from './assistants_api.ts'
import { textOf } from './content_text.ts'

/** `version_id`: null while the content was never saved. */
type Stored = { version_id: string | null; text: string }

export class BlockContent {
  readonly block_id: string
  /** Undefined until it is read. */
  stored: Signal<Stored | undefined> = signal(undefined)
  fault: Signal<Fault | null> = signal(null)
  /** The agent's text; null without changes. */
  written: Signal<string | null> = signal(null)
  /** Somebody else's, when it has to be decided between both. */
  theirs: Signal<Stored | null> = signal(null)
  is_saving = signal(false)
  save_fault: Signal<Fault | null> = signal(null)
  text = computed(() => this.written.value ?? this.stored.value?.text ?? '')
  is_dirty = computed(() => this.written.value !== null)
  #api
  #reads = 0

  constructor(api: AssistantsApi, { _id }: Pick<AttachedBlock, '_id'>) {
    this.#api = api
    this.block_id = _id
    void this.read()
  }

  async read() {
    const read = ++this.#reads
    try {
      const stored = await this.#current()
      if (read === this.#reads) this.#take(stored)
    } catch (error) {
      if (read === this.#reads && !this.stored.peek()) this.fault.value = faultOf(error)
    }
  }

  /** The block has this version now. */
  hear(version_id: string | null) {
    const known = this.theirs.peek() ?? this.stored.peek()
    if (known && known.version_id !== version_id && !this.is_saving.peek()) void this.read()
  }

  type(text: string) {
    this.written.value = text === this.stored.peek()?.text ? null : text
  }

  /** Gives up what was written; with somebody else's text in the way, that one is taken. */
  discard() {
    batch(() => {
      if (this.theirs.value) this.stored.value = this.theirs.value
      this.theirs.value = null
      this.written.value = null
      this.save_fault.value = null
    })
  }

  /** Saves over what somebody else saved, which the agent has seen. */
  keepMine() {
    if (this.theirs.value) {
      batch(() => {
        this.stored.value = this.theirs.value!
        this.theirs.value = null
      })
    }
    return this.save()
  }

  /** Resolves to true when it is stored. */
  async save(): Promise<boolean> {
    const text = this.written.peek()
    if (text === null) return true
    if (this.is_saving.peek()) return false
    this.is_saving.value = true
    this.save_fault.value = null
    try {
      const now = await this.#current()
      if (now.version_id !== this.stored.peek()?.version_id) {
        this.#take(now)
        if (this.theirs.peek()) return false
      }
      const version = await this.#api.saveContent(this.block_id, text)
      this.#reads++
      batch(() => {
        this.stored.value = storedOf(version)
        // Text typed meanwhile is still to be saved.
        if (this.written.value === text) this.written.value = null
      })
      return true
    } catch (error) {
      this.save_fault.value = faultOf(error)
      return false
    } finally {
      this.is_saving.value = false
    }
  }

  /** Saves what is written as a version that is held. The stored text stays. @throws Fault */
  async hold(test_set_id: string | null) {
    const text = this.written.peek()
    if (text === null) return
    await this.#api.holdContent(this.block_id, text, test_set_id)
    if (this.written.peek() === text) this.written.value = null
  }

  async #current(): Promise<Stored> {
    try {
      return storedOf(await this.#api.content(this.block_id))
    } catch (error) {
      if (faultOf(error).code !== 'BLOCK_CONTENT_NOT_FOUND') throw error
      return { version_id: null, text: '' }
    }
  }

  #take(now: Stored) {
    const stored = this.stored.peek()
    const written = this.written.peek()
    batch(() => {
      this.fault.value = null
      const is_other = stored !== undefined && stored.version_id !== now.version_id
      if (written !== null && is_other && now.text !== written && now.text !== stored.text) {
        this.theirs.value = now
        return
      }
      this.stored.value = now
      this.theirs.value = null
      if (written === now.text) this.written.value = null
    })
  }
}

function storedOf(version: BlockVersion): Stored {
  return { version_id: version._id, text: textOf(version) }
}
