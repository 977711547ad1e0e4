/**
 * Changes of assistants and blocks. A change is decided twice by the same function: by the node that has to tell the
 * assistant service what will be, on records that it reads itself, and then in the project's turn, whose decision
 * counts.
 */
import {
  type Assistant,
  type AssistantBlock,
  type AssistantCatalogue,
  type AttachedBlock,
  type CatalogueKeys,
  emptyCatalogue,
  readCatalogue,
  type WriteSet,
} from '../../../storage/mod.ts'
import type { ServiceRecord } from '../../assistants/mod.ts'
import { type AssistantRecord, toAssistantRecord, toBlockRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Change } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** The records before the change, which it updates, and the place for its writes. */
export type Scene = {
  catalogue: AssistantCatalogue
  writes: WriteSet
  now: Date
  company_id: string
  project_id: string
}

/** `body` answers the request; without one the answer is empty. */
export type Decided = { body: object | undefined; service_record: ServiceRecord }

export type Part<C extends { type: string }> = {
  wants(keys: CatalogueKeys, change: C): void
  /** Throws `Refusal` before it changes anything. Deciding a change that has been applied changes nothing. */
  decide(scene: Scene, change: C): Decided
}

export function noKeys(): CatalogueKeys {
  return {
    assistants: new Set(),
    blocks: new Set(),
    versions: new Set(),
    tools: new Set(),
    nodes: new Set(),
    test_sets: new Set(),
    targets: new Set(),
    counts: false,
  }
}

export const catalogueReads: ReadKind<CatalogueKeys, AssistantCatalogue> = {
  keys: noKeys,
  found: emptyCatalogue,
  read: (found, keys, { database, state: { project_id } }) => readCatalogue(database, project_id, keys, found),
}

/**
 * The part as a change of the project actor. `target`: the kind of the record with the `id` of the change. `applied`: what
 * the project remembers of it.
 */
export function changeOf<C extends { type: string; id: string }>(
  target: 'assistant' | 'block',
  part: Part<C>,
  applied?: (turn: ProjectTurn, change: C) => void,
): Change<C> {
  return {
    audit: { target, record: target === 'assistant' ? auditedAssistant : auditedBlock },
    reads: (reads, change) => part.wants(reads.of(catalogueReads), change),
    apply(turn, change) {
      const { company_id, project_id } = turn.state
      const catalogue = turn.records.of(catalogueReads)
      const { body } = part.decide({ catalogue, writes: turn, now: turn.now, company_id, project_id }, change)
      applied?.(turn, change)
      return body
    },
  }
}

function auditedAssistant({ records }: ProjectTurn, id: string): object | undefined {
  const catalogue = records.of(catalogueReads)
  return catalogue.assistants.has(id) ? assistantRecord({ catalogue }, id) : undefined
}

/** The turn has a version only when it saves it. */
function auditedBlock({ records }: ProjectTurn, id: string): object | undefined {
  const { blocks, versions } = records.of(catalogueReads)
  const block = blocks.get(id)
  const version = versions.get(block?.current_version_id ?? '')
  return block && { ...toBlockRecord(block), ...(version && { content: version.content ?? version.payload }) }
}

/** An assistant with its blocks, as the scene has them. */
export function assistantRecord({ catalogue }: Pick<Scene, 'catalogue'>, id: string): AssistantRecord {
  const links = [...(catalogue.links.get(id) ?? [])].sort(
    (one, other) => one.order - other.order || (one.block_id < other.block_id ? -1 : 1),
  )
  return toAssistantRecord({
    assistant: catalogue.assistants.get(id)!,
    blocks: links.flatMap((link) => attachedBlock(catalogue, link)),
    tools: (catalogue.held_tools.get(id) ?? []).map(({ tool_id }) => tool_id),
  })
}

export function attachedBlock({ blocks }: AssistantCatalogue, { block_id, order }: AssistantBlock): AttachedBlock[] {
  const block = blocks.get(block_id)
  return block ? [{ ...block, order }] : []
}

/** The assistant as the service is told of it. */
export function assistantAtService(scene: Scene, id: string): ServiceRecord {
  return { kind: 'assistant', assistant: assistantRecord(scene, id) }
}

/** @throws {Refusal} KNOWLEDGE_NODE_NOT_FOUND */
export function mustHaveNodes({ nodes }: AssistantCatalogue, node_ids: readonly string[]): void {
  const unknown = node_ids.filter((id) => !nodes.has(id))
  if (unknown.length > 0) throw refuse('KNOWLEDGE_NODE_NOT_FOUND', { node_ids: unknown })
}

type HandOver = Assistant['hand_over']

/** The ids of a hand-over become keys. */
export function wantHandOver({ targets }: CatalogueKeys, hand_over: HandOver | undefined): void {
  const { assigned_to, stage_id, tag_ids = [] } = hand_over ?? {}
  for (const id of [assigned_to, stage_id, ...tag_ids]) if (id !== undefined) targets.add(id)
}

/**
 * Ids that are stored stay allowed: a client that sends back what it read must not be refused for it.
 * @throws {Refusal} ASSIGNEE_NOT_FOUND, STAGE_NOT_FOUND, TAG_NOT_FOUND
 */
export function mustBeTargets(
  { targets: { user, stage, tag } }: AssistantCatalogue,
  hand_over: HandOver | undefined,
  stored?: HandOver,
): void {
  const { assigned_to, stage_id, tag_ids = [] } = hand_over ?? {}
  if (assigned_to !== undefined && assigned_to !== stored?.assigned_to && !user.has(assigned_to))
    throw refuse('ASSIGNEE_NOT_FOUND', { assigned_to })
  if (stage_id !== undefined && stage_id !== stored?.stage_id && !stage.has(stage_id))
    throw refuse('STAGE_NOT_FOUND', { stage_id })
  const unknown = tag_ids.filter((id) => !stored?.tag_ids?.includes(id) && !tag.has(id))
  if (unknown.length > 0) throw refuse('TAG_NOT_FOUND', { tag_ids: unknown })
}

/** Keeps a project from growing without bound. @throws {Refusal} with this code */
export function mustHaveRoom(
  count: number,
  limit: number,
  code: 'ASSISTANT_LIMIT_REACHED' | 'BLOCK_LIMIT_REACHED',
): void {
  if (count >= limit) throw refuse(code, { limit })
}
