/** Changes of assistants and blocks: the service is told first, then the project stores the change. */
import {
  type AssistantChange,
  type AssistantRecord,
  type AssistantService,
  type AssistantServices,
  type BlockVersionRecord,
  costLimitsOf,
  rehearse,
  type ServiceRecord,
  toAssistantRecord,
  toBlockRecord,
  toBlockVersionRecord,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import {
  type Assistant,
  type Block,
  type BlockVersion,
  type Database,
  findAssistant,
  findBlock,
  findVersion,
  isObjectId,
  readAssistantViews,
} from '../../../storage/mod.ts'
import { type Operation, type Outcome, UpstreamFailure } from '../../server/changes/operation.ts'
import { refuseInvalid } from '../../server/errors/invalid.ts'

/** The permission of agents to create and change assistants, and to try them. */
export const MANAGES_ASSISTANTS = 'console.manage_assistants'

/** The assistants of this node: the service that runs them, and the models that the operator offers. */
export type AssistantHooks = {
  service: AssistantService
  /** At least one. The first is the default. */
  models: readonly string[]
  /** The means of replies that nobody sends. */
  services: AssistantServices
}

export type Where = { database: Database; company_id: string; project_id: string }

/** Extra time for telling the service again after the operation's deadline. */
const SETTLE_MS = 5_000
/** Each round follows a change by another request; the last such request goes on where this one ends. */
const MAX_ROUNDS = 5

/**
 * Prepares the change: checks it against the stored records and tells the service. `answer` is that of a change that the
 * project stores; without one it is the changed record.
 *
 * @throws {Refusal} as the change itself
 * @throws {UpstreamFailure} ASSISTANTS_UPSTREAM_ERROR when the service does not confirm the change
 */
export async function changeAssistants(
  { service }: AssistantHooks,
  where: Where,
  change: AssistantChange,
  { deadline }: Pick<Operation, 'deadline'>,
  answer: Outcome['answer'] = { record: true },
): Promise<Outcome> {
  if (!service.is_remote) return { changes: [change], answer }
  const record = await rehearse(where.database, where, change)
  const failure = await service.save(record, where, deadline)
  if (failure) throw new UpstreamFailure('ASSISTANTS_UPSTREAM_ERROR', failure)
  return { changes: [change], answer, settle: () => settle(service, where, record) }
}

/**
 * Tells the service what is stored, when that is not what it was told: another request came in between, and this change
 * was refused, or stored together with the other. Every request that told anything else than what is stored in the end
 * does so, so the service has the stored record in whichever order the calls reach it.
 *
 * If this fails, the next change of the record corrects the service.
 */
async function settle(service: AssistantService, where: Where, first: ServiceRecord): Promise<void> {
  const deadline = performance.now() + SETTLE_MS
  let record: ServiceRecord | undefined = first
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const stored = await storedRecord(where, first)
    if (isSame(record, stored)) return
    const id = first.kind === 'assistant' ? first.assistant._id : first.block._id
    const failure = await (stored ? service.save(stored, where, deadline) : service.remove(first.kind, id, deadline))
    if (failure) return
    record = stored
  }
}

/** The record as it is stored; undefined when it is not. */
async function storedRecord(
  { database, project_id }: Where,
  record: ServiceRecord,
): Promise<ServiceRecord | undefined> {
  if (record.kind === 'assistant') {
    const row = await findAssistant(database, project_id, record.assistant._id)
    const [view] = row ? await readAssistantViews(database, [row]) : []
    return view && { kind: 'assistant', assistant: toAssistantRecord(view) }
  }
  const block = await findBlock(database, project_id, record.block._id)
  const version = block && (await currentVersion(database, block))
  return (
    block && { kind: 'block', block: toBlockRecord(block), version: version ? toBlockVersionRecord(version) : null }
  )
}

/** The content of a block is the same if its version is. Times are set again when the change is stored. */
function isSame(record: ServiceRecord | undefined, stored: ServiceRecord | undefined): boolean {
  const [one, other] = [record, stored].map((record) =>
    JSON.stringify(record?.kind === 'block' ? record.block : record?.assistant, (name, value) =>
      name === 'created_at' || name === 'updated_at' ? undefined : value,
    ),
  )
  return one === other
}

async function currentVersion(
  database: Database,
  { project_id, _id, current_version_id }: Block,
): Promise<BlockVersion | undefined> {
  return current_version_id ? findVersion(database, project_id, _id, current_version_id) : undefined
}

/** @throws {Refusal} INVALID_MODEL */
export function mustBeSupported({ models }: AssistantHooks, model: string | undefined): void {
  if (model !== undefined && !models.includes(model))
    throw new Refusal('INVALID_MODEL', {
      message: `This model is not supported; use one of ${models.join(', ')}.`,
      details: { supported: models },
    })
}

/** Money is counted only where prices are known. @throws {Refusal} VALIDATION_ERROR */
export function mustHavePrices({ services }: AssistantHooks, field: string, budget: object | null | undefined): void {
  const limits = costLimitsOf(budget)
  if (limits.length === 0) return
  const { models } = services
  if (models.names.some((name) => models.find(name)?.price)) return
  const message = 'needs prices: the operator has set none for the models (PARLEY_MODELS)'
  refuseInvalid(limits.map((limit) => ({ path: `${field}.${limit}`, message, code: 'invalid_value' })))
}

type Place = Pick<Where, 'database' | 'project_id'>

/** @throws {Refusal} NOT_FOUND */
export async function assistantOf({ database, project_id }: Place, id: string): Promise<Assistant> {
  const assistant = await findAssistant(database, project_id, id)
  if (!assistant) throw new Refusal('NOT_FOUND')
  return assistant
}

/** The assistant as the API shows it. @throws {Refusal} NOT_FOUND */
export async function answerOfAssistant({ database, project_id }: Place, id: string): Promise<AssistantRecord> {
  const row = await findAssistant(database, project_id, id)
  const [view] = await readAssistantViews(database, row ? [row] : [])
  if (!view) throw new Refusal('NOT_FOUND')
  return toAssistantRecord(view)
}

/** @throws {Refusal} NOT_FOUND */
export async function blockOf({ database, project_id }: Place, id: string): Promise<Block> {
  const block = await findBlock(database, project_id, id)
  if (!block) throw new Refusal('NOT_FOUND')
  return block
}

/** The current content. @throws {Refusal} NOT_FOUND, BLOCK_CONTENT_NOT_FOUND */
export async function contentOf(place: Place, id: string): Promise<BlockVersionRecord> {
  const version = await currentVersion(place.database, await blockOf(place, id))
  if (!version) throw new Refusal('BLOCK_CONTENT_NOT_FOUND')
  return toBlockVersionRecord(version)
}

/** @throws {Refusal} NOT_FOUND, BLOCK_VERSION_NOT_FOUND */
export async function versionOf(place: Place, id: string, version_id: string): Promise<BlockVersionRecord> {
  const { database, project_id } = place
  await blockOf(place, id)
  const lower_id = version_id.toLowerCase()
  const version = isObjectId(lower_id) ? await findVersion(database, project_id, id, lower_id) : undefined
  if (!version) throw new Refusal('BLOCK_VERSION_NOT_FOUND')
  return toBlockVersionRecord(version)
}
