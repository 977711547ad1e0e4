/** The requests for assistants. No DOM. */

import type { ProjectApi } from '../data/project_api.ts'
import type {
  AgentTool,
  Assistant,
  AssistantDeployment,
  AssistantOverview,
  Block,
  BlockVersion,
  BlockVersionSummary,
} from '../records/assistant.ts'

/** A content that is written for a block and not saved. */
export type TriedContent = { block_id: string; content: string }

type Listed<Row> = { data: Row[]; has_more: boolean }

export class AssistantsApi {
  #api

  constructor(api: Pick<ProjectApi, 'get' | 'post' | 'put' | 'patch' | 'delete'>) {
    this.#api = api
  }

  overview(): Promise<AssistantOverview> {
    return this.#api.get('assistant_overview')
  }

  list(query: { search?: string; limit: number; offset: number }): Promise<Listed<Assistant> & { total: number }> {
    return this.#api.get('assistants', query)
  }

  async one(id: string): Promise<Assistant> {
    return (await this.#api.get(pathOf(id))).assistant
  }

  /** With the same `key` it is created once. */
  async create(fields: object, key: string): Promise<Assistant> {
    return (await this.#api.post('assistants', fields, { key })).assistant
  }

  async update(id: string, fields: object): Promise<Assistant> {
    return (await this.#api.patch(pathOf(id), fields)).assistant
  }

  async setTools(id: string, tools: string[]): Promise<Assistant> {
    return (await this.#api.patch(`agents/${encodeURIComponent(id)}`, { tools })).assistant
  }

  async deployments(id: string): Promise<AssistantDeployment[]> {
    return (await this.#api.get(`${pathOf(id)}/deployments`)).deployments
  }

  async setDeployments(id: string, deployments: AssistantDeployment[]): Promise<AssistantDeployment[]> {
    return (await this.#api.put(`${pathOf(id)}/deployments`, { deployments })).deployments
  }

  /** Attaches a block, or moves one that is attached. */
  attach(id: string, block_id: string, order?: number) {
    return this.#api.post(`${pathOf(id)}/blocks`, { block_id, ...(order !== undefined && { order }) })
  }

  detach(id: string, block_id: string) {
    return this.#api.delete(`${pathOf(id)}/blocks/${encodeURIComponent(block_id)}`)
  }

  /** With contents that are tried instead of the stored ones. */
  async prompt(id: string, blocks: TriedContent[]): Promise<string> {
    const path = `${pathOf(id)}/prompt`
    return (await (blocks.length === 0 ? this.#api.get(path) : this.#api.post(path, { blocks }))).prompt
  }

  tools(query: { limit: number; offset: number }): Promise<Listed<AgentTool>> {
    return this.#api.get('agents/tools', query)
  }

  blocks(query: { limit: number; offset: number }): Promise<Listed<Block>> {
    return this.#api.get('blocks', query)
  }

  async block(id: string): Promise<Block> {
    return (await this.#api.get(blockPath(id))).block
  }

  /** `type`: one of those that the API creates. */
  async createBlock(type: string, fields: { name: string }, key: string): Promise<Block> {
    return (await this.#api.post(`blocks/${type.replaceAll('_', '-')}`, fields, { key })).block
  }

  async renameBlock(id: string, name: string): Promise<Block> {
    return (await this.#api.patch(blockPath(id), { name })).block
  }

  content(id: string): Promise<BlockVersion> {
    return this.#api.get(`${blockPath(id)}/content`)
  }

  saveContent(id: string, content: string): Promise<BlockVersion> {
    return this.#api.put(`${blockPath(id)}/content`, { content })
  }

  /** Saves a version that is held: until the test set passes with it, or, with null, until it is released. */
  async holdContent(id: string, content: string, test_set_id: string | null) {
    await this.#api.put(`${blockPath(id)}/content`, { content, hold: true, ...(test_set_id && { test_set_id }) })
  }

  /** Makes the held version current, if it is still this one. */
  async release(id: string, version_id: string) {
    await this.#api.post(`${blockPath(id)}/held-version/release`, { version_id })
  }

  async discardHeld(id: string) {
    await this.#api.delete(`${blockPath(id)}/held-version`)
  }

  versions(id: string, query: { limit: number; offset: number }): Promise<Listed<BlockVersionSummary>> {
    return this.#api.get(`${blockPath(id)}/versions`, query)
  }

  version(id: string, version_id: string): Promise<BlockVersion> {
    return this.#api.get(`${blockPath(id)}/versions/${encodeURIComponent(version_id)}`)
  }
}

function pathOf(id: string) {
  return `assistants/${encodeURIComponent(id)}`
}

function blockPath(id: string) {
  return `blocks/${encodeURIComponent(id)}`
}
