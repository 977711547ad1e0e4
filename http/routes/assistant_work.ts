/** Changes of assistants and blocks: the service is told first, then the project stores the change. */
import { type AssistantChange, type AssistantService, rehearse } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import {
  type AssistantRecord,
  type Block,
  type BlockVersionRecord,
  type Database,
  findAssistant,
  findBlock,
  findVersion,
  isObjectId,
  showAssistants,
  toBlockRecord,
} from '../../storage/mod.ts'
import { type Operation, type Outcome, UpstreamFailure } from '../server/operation.ts'

/** The assistants of this node: the service that runs them, and the models that the operator offers. */
export type AssistantHooks = {
  service: AssistantService
  /** At least one. The first is the default. */
  models: readonly string[]
}

export type Where = { database: Database; company_id: string; project_id: string }

/** Extra time for telling the service again after the operation's deadline. */
const REPAIR_MS = 5_000

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
  return { changes: [change], answer, undo: () => repair(service, where, record) }
}

/**
 * Tells the service what is stored, after the project refused a change that the service had confirmed: another request
 * came in between. If this fails too, the next change of the record corrects the service.
 */
async function repair(
  service: AssistantService,
  where: Where,
  told: Awaited<ReturnType<typeof rehearse>>,
): Promise<void> {
  const { database, project_id } = where
  const deadline = performance.now() + REPAIR_MS
  const id = told.kind === 'assistant' ? told.assistant._id : told.block._id
  if (told.kind === 'assistant') {
    const row = await findAssistant(database, project_id, id)
    if (!row) return void (await service.remove('assistant', id, deadline))
    const [assistant] = await showAssistants(database, [row])
    await service.save({ kind: 'assistant', assistant: assistant! }, where, deadline)
    return
  }
  const row = await findBlock(database, project_id, id)
  if (!row) return void (await service.remove('block', id, deadline))
  const version = await currentVersion(database, row)
  await service.save({ kind: 'block', block: toBlockRecord(row), version: version ?? null }, where, deadline)
}

async function currentVersion(
  database: Database,
  { project_id, _id, current_version_id }: Block,
): Promise<BlockVersionRecord | undefined> {
  return current_version_id ? findVersion(database, project_id, _id, current_version_id) : undefined
}

/** @throws {Refusal} INVALID_MODEL */
export function mustBeSupported({ models }: AssistantHooks, model: string | undefined): void {
  if (model !== undefined && !models.includes(model))
    throw new Refusal('INVALID_MODEL', { details: { supported: models } })
}

type Place = Pick<Where, 'database' | 'project_id'>

/** The assistant as the API shows it. @throws {Refusal} NOT_FOUND */
export async function shownAssistant({ database, project_id }: Place, id: string): Promise<AssistantRecord> {
  const row = await findAssistant(database, project_id, id)
  const [assistant] = await showAssistants(database, row ? [row] : [])
  if (!assistant) throw new Refusal('NOT_FOUND')
  return assistant
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
  return version
}

/** @throws {Refusal} NOT_FOUND, BLOCK_VERSION_NOT_FOUND */
export async function versionOf(place: Place, id: string, version_id: string): Promise<BlockVersionRecord> {
  const { database, project_id } = place
  await blockOf(place, id)
  const wanted = version_id.toLowerCase()
  const version = isObjectId(wanted) ? await findVersion(database, project_id, id, wanted) : undefined
  if (!version) throw new Refusal('BLOCK_VERSION_NOT_FOUND')
  return version
}
