/** The work of the Flow routes at the provider, in steps that leave nothing half done. */
import type { FlowChange, WhatsAppFlows } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { type Database, Flow, findFlow, objectId, readRows } from '../../../storage/mod.ts'
import { type Operation, type Outcome, UpstreamFailure } from '../../server/changes/operation.ts'
import { type CloudChannel, isRefusal, openCloudChannel, throwFailure } from '../cloud_channel.ts'

export type FlowFields = {
  name: string
  categories: string[]
  flow_json: Record<string, unknown> | string
  channel_id?: string
  endpoint_uri?: string
}

type Where = { database: Database; project_id: string }

/** Extra time for cleaning up after the operation's deadline. */
const CLEAN_UP_MS = 5_000

/**
 * Creates the draft and uploads its screens. A failed upload deletes the draft: the client is told that nothing was
 * created, and a draft that nobody knows would keep the name from the next try. Screens with mistakes are no failure:
 * the provider keeps them, and its list of mistakes is part of the record.
 *
 * An earlier request under the same idempotency key may have reached the provider. Its draft is then taken over instead
 * of being refused for its name.
 */
export async function createFlow(
  flows: WhatsAppFlows,
  where: Where,
  { flow_json, channel_id, ...fields }: FlowFields,
  { deadline, in_doubt }: Operation,
): Promise<Outcome> {
  const cloud = await openCloudChannel(where, { channel_id })
  const { channel, credentials } = cloud
  const left = in_doubt ? await leftBehind(flows, where, cloud, fields.name, deadline) : undefined
  const created = left ? { id: left } : await flows.create(credentials, fields, deadline)
  if ('failure' in created) throwFailure(created.failure)
  const provider_flow_id = created.id
  const source = typeof flow_json === 'string' ? flow_json : JSON.stringify(flow_json)
  const uploaded = await flows.upload(credentials, provider_flow_id, source, deadline)
  if ('failure' in uploaded) {
    const removed = await flows.remove(
      credentials,
      provider_flow_id,
      Math.max(deadline, performance.now() + CLEAN_UP_MS),
    )
    const maybe_accepted = 'failure' in removed
    if (maybe_accepted && !isRefusal(uploaded.failure)) {
      throw new UpstreamFailure('WHATSAPP_UPSTREAM_ERROR', { ...uploaded.failure, maybe_accepted })
    }
    throwFailure({ ...uploaded.failure, maybe_accepted })
  }
  const { name, categories } = fields
  const { validation_errors } = uploaded
  const flow = { id: objectId(), channel_id: channel._id, provider_flow_id, name, categories, validation_errors }
  return { changes: [{ type: 'register_flow', ...flow }], answer: { record: true } }
}

/** The draft with this name that exists at the provider and is not registered here. */
async function leftBehind(
  flows: WhatsAppFlows,
  { database, project_id }: Where,
  { credentials }: CloudChannel,
  name: string,
  deadline: number,
): Promise<string | undefined> {
  const listed = await flows.list(credentials, deadline)
  if ('failure' in listed) throwFailure(listed.failure)
  const draft = listed.flows.find((one) => one.name === name && one.status === 'DRAFT')
  if (!draft) return undefined
  const [known] = await readRows(database, Flow, { project_id, provider_flow_id: draft.id })
  return known ? undefined : draft.id
}

/** Publishes a draft. After a failed or lost answer, the Flow's status at the provider decides. */
export async function publishFlow(
  flows: WhatsAppFlows,
  where: Where,
  id: string,
  { deadline, in_doubt }: Operation,
): Promise<Outcome> {
  const flow = await flowOf(where, id)
  if (flow.status !== 'draft' && !in_doubt)
    throw new Refusal('FLOW_ALREADY_PUBLISHED', { details: { status: flow.status } })
  const published: FlowChange = { type: 'change_flow', id, status: 'PUBLISHED' }
  const done: Outcome = { changes: [published], answer: { record: true } }
  if (flow.status !== 'draft') return done
  const { credentials } = await openCloudChannel(where, { channel_id: flow.channel_id })
  const { provider_flow_id } = flow
  const answered = await flows.publish(credentials, provider_flow_id, deadline)
  if (!('failure' in answered)) return done
  const { failure } = answered
  if (!isRefusal(failure) && !failure.maybe_accepted) throwFailure(failure)
  const found = await flows.find(credentials, provider_flow_id, deadline)
  if ('failure' in found) throwFailure(isRefusal(failure) ? failure : { ...found.failure, maybe_accepted: true })
  if (found.flow === null) return gone(id)
  const { status, validation_errors } = found.flow
  // This request published the Flow only if its answer, or that of an earlier try, was lost.
  if (status !== 'DRAFT') {
    const changes: FlowChange[] = [{ type: 'change_flow', id, status, validation_errors }]
    if (failure.maybe_accepted || in_doubt) return { changes, answer: { record: true } }
    return { changes, answer: { error: { code: 'FLOW_ALREADY_PUBLISHED', details: { status: status.toLowerCase() } } } }
  }
  if (!isRefusal(failure)) throwFailure(failure)
  const { code, message } = failure
  const details = { validation_errors, provider: { code, message } }
  return {
    changes: [{ type: 'change_flow', id, validation_errors }],
    answer: { error: { code: 'FLOW_INVALID', details } },
  }
}

/** Deletes a draft at the provider and here. */
export async function deleteFlow(
  flows: WhatsAppFlows,
  where: Where,
  id: string,
  { deadline }: Operation,
): Promise<Outcome> {
  const flow = await flowOf(where, id)
  if (flow.status !== 'draft') throw new Refusal('FLOW_PUBLISHED', { details: { status: flow.status } })
  const { credentials } = await openCloudChannel(where, { channel_id: flow.channel_id })
  const removed = await flows.remove(credentials, flow.provider_flow_id, deadline)
  const deleted: Outcome = { changes: [{ type: 'remove_flow', id }], answer: {} }
  if (!('failure' in removed)) return deleted
  const { failure } = removed
  if (!isRefusal(failure)) throwFailure(failure)
  const found = await flows.find(credentials, flow.provider_flow_id, deadline)
  if ('failure' in found) throwFailure(failure)
  // Someone else deleted it at the provider. The project knows whether a request of ours did.
  if (found.flow === null) return deleted
  if (found.flow.status === 'DRAFT') throwFailure(failure)
  const { status } = found.flow
  return {
    changes: [{ type: 'change_flow', id, status }],
    answer: { error: { code: 'FLOW_PUBLISHED', details: { status: status.toLowerCase() } } },
  }
}

/** The answer for a Flow that was deleted at the provider by someone else. */
function gone(id: string): Outcome {
  return { changes: [{ type: 'remove_flow', id }], answer: { error: { code: 'FLOW_NOT_FOUND' } } }
}

/** @throws {Refusal} FLOW_NOT_FOUND */
export async function flowOf({ database, project_id }: Where, id: string): Promise<Flow> {
  const flow = await findFlow(database, project_id, id)
  if (!flow) throw new Refusal('FLOW_NOT_FOUND')
  return flow
}
