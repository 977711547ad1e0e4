/**
 * An assistant that is open: its record, its places, and its blocks with what the agent has written and not saved. No DOM.
 */

import { computed, type Signal, signal } from '@preact/signals'
import type { Project } from '../data/project.ts'
import { Resource } from '../data/resource.ts'
import type { AgentTool, Assistant, AssistantDeployment, AttachedBlock } from '../records/assistant.ts'
import type { AssistantsApi } from './assistants_api.ts'
import { BlockContent } from './block_content.ts'
import { Playground } from './playground/playground.ts'
import { TestSets } from './tests/test_sets.ts'

const PAGE = 200

export class OpenAssistant {
  readonly id: string
  readonly project: Project
  readonly api: AssistantsApi
  readonly assistant: Resource<Assistant>
  readonly deployments: Resource<AssistantDeployment[]>
  readonly tools: Resource<AgentTool[]>
  /** It stays while other parts of the assistant are shown, and goes with the assistant. */
  readonly playground: Playground
  readonly tests: TestSets
  /** Contents that were asked for, by the id of their block. What is written stays here while other blocks are shown. */
  #contents = new Map<string, BlockContent>()
  #contents_known = signal(0)
  /** Parts other than blocks whose changes are not saved. */
  unsaved: Signal<ReadonlySet<string>> = signal(new Set())

  /** The contents that differ from what is stored. */
  tried = computed(() => {
    void this.#contents_known.value
    return [...this.#contents].flatMap(([block_id, content]) =>
      content.is_dirty.value ? [{ block_id, content: content.text.value }] : [],
    )
  })

  constructor(project: Project, api: AssistantsApi, id: string) {
    this.project = project
    this.api = api
    this.id = id
    this.assistant = new Resource(() => api.one(id))
    this.deployments = new Resource(() => api.deployments(id))
    this.tools = new Resource(() => this.#readTools())
    this.tests = new TestSets(project.api, id)
    this.playground = new Playground({ id, api: project.api, tried: this.tried })
  }

  get is_dirty() {
    return this.tried.value.length > 0 || this.unsaved.value.size > 0
  }

  /** Reads it again. What is written stays. */
  read() {
    void this.#read()
    void this.deployments.read()
    void this.tools.read()
  }

  async #read() {
    await this.assistant.read()
    const blocks = this.assistant.state.peek().value?.blocks ?? []
    for (const { _id, current_version_id } of blocks) this.#contents.get(_id)?.hear(current_version_id)
  }

  /** The content of a block, asked for when it is first wanted. */
  content(block: AttachedBlock) {
    let content = this.#contents.get(block._id)
    if (!content) {
      content = new BlockContent(this.api, block)
      this.#contents.set(block._id, content)
      queueMicrotask(() => this.#contents_known.value++)
    }
    return content
  }

  /** Says that a part has changes, or has none any more. */
  mark(part: string, is_dirty: boolean) {
    if (this.unsaved.peek().has(part) === is_dirty) return
    const next = new Set(this.unsaved.peek())
    if (is_dirty) next.add(part)
    else next.delete(part)
    this.unsaved.value = next
  }

  /** Gives up what is not saved. */
  discard() {
    for (const content of this.#contents.values()) content.discard()
    this.discardForms()
  }

  /** Gives up what is not saved in other parts than blocks. */
  discardForms() {
    this.unsaved.value = new Set()
  }

  /** Moves a block by so many places. The blocks between take its place one after the other. */
  async move(block: AttachedBlock, by: -1 | 1) {
    const blocks = this.assistant.state.peek().value?.blocks ?? []
    const at = blocks.findIndex(({ _id }) => _id === block._id)
    const other = blocks[at + by]
    if (at < 0 || !other) return
    // The one behind goes to the place of the one before, which moves by one.
    const [before, after] = by === 1 ? [block, other] : [other, block]
    this.#show(swapped(blocks, at, at + by))
    try {
      await this.api.attach(this.id, after._id, before.order)
    } finally {
      await this.assistant.read()
    }
  }

  async attach(block_id: string) {
    await this.api.attach(this.id, block_id)
    await this.assistant.read()
  }

  async detach(block_id: string) {
    await this.api.detach(this.id, block_id)
    this.#contents.get(block_id)?.discard()
    this.#contents.delete(block_id)
    this.#contents_known.value++
    await this.assistant.read()
  }

  #show(blocks: AttachedBlock[]) {
    const { value } = this.assistant.state.peek()
    if (value) this.assistant.put({ ...value, blocks })
  }

  async #readTools() {
    const tools: AgentTool[] = []
    for (;;) {
      const { data, has_more } = await this.api.tools({ limit: PAGE, offset: tools.length })
      tools.push(...data)
      if (!has_more) return tools
    }
  }
}

function swapped(blocks: AttachedBlock[], one: number, other: number) {
  const next = [...blocks]
  const [a, b] = [blocks[one]!, blocks[other]!]
  next[one] = { ...b, order: a.order }
  next[other] = { ...a, order: b.order }
  return next
}
