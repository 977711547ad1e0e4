import { AssistantDeployment } from '../../../../storage/mod.ts'
import { type NewDeployment, toDeploymentRecord } from '../../../records/mod.ts'
import { refuse } from '../../../refuse.ts'
import { catalogueReads } from '../../assistants/part.ts'
import { definitionsOf, wantDefinitions } from '../../definitions/reads.ts'
import type { Command } from '../../turn/feature.ts'
import type { ProjectTurn } from '../../turn/turn.ts'

export type SetDeployments = { type: 'set_deployments'; id: string; deployments: NewDeployment[] }

/** Maximum deployments of a project. A message of a person looks at each of them. */
const MAX_DEPLOYMENTS = 1_000

const shown = (turn: ProjectTurn, id: string) => turn.state.deployments.of(id).map(toDeploymentRecord)

/**
 * Replaces the deployments of an assistant. A row belongs to a place in the list, and is changed where the place stays, so
 * that no two rows ever claim a place.
 * @throws {Refusal} NOT_FOUND, CHANNEL_NOT_FOUND, TAG_NOT_FOUND, DEPLOYMENT_LIMIT_REACHED
 */
export const setDeployments = {
  audit: {
    target: 'assistant',
    record: (turn, id) =>
      turn.records.of(catalogueReads).assistants.has(id) ? { _id: id, deployments: shown(turn, id) } : undefined,
  },
  reads(reads, { id }) {
    reads.of(catalogueReads).assistants.add(id)
    wantDefinitions(reads)
  },
  run(turn, { id, deployments }) {
    const { state, now } = turn
    const assistant = turn.records.of(catalogueReads).assistants.get(id)
    if (!assistant) throw refuse('NOT_FOUND')
    const before = state.deployments.of(id)
    mustBeKnown(turn, before, deployments)
    if (
      deployments.length > before.length &&
      state.deployments.count - before.length + deployments.length > MAX_DEPLOYMENTS
    )
      throw refuse('DEPLOYMENT_LIMIT_REACHED', { limit: MAX_DEPLOYMENTS })
    const { company_id, project_id } = state
    const after = deployments.map((fields, position): AssistantDeployment => {
      const present = before[position]
      const changed = { ...fields, updated_at: now }
      if (present) {
        const row = { ...present, ...changed }
        if (isSame(present, row)) return present
        turn.update(AssistantDeployment, { id: present.id }, changed)
        return row
      }
      const owner = { id: `${id}_${position}`, company_id, project_id, assistant_id: id }
      const row = { ...owner, position, ...changed, created_at: now }
      turn.insert(AssistantDeployment, row)
      return row
    })
    for (const { id } of before.slice(after.length)) turn.remove(AssistantDeployment, { id })
    state.deployments.set(id, after, assistant.is_active)
    return { body: { deployments: shown(turn, id) } }
  },
} satisfies Command<SetDeployments>

/** A client that sends back what it read must not be refused for it, so ids that are stored stay allowed. */
function mustBeKnown(turn: ProjectTurn, before: readonly AssistantDeployment[], deployments: NewDeployment[]): void {
  const unknown = (key: 'channel_ids' | 'tag_ids', known: ReadonlyMap<string, unknown>): string[] => {
    const stored = new Set(before.flatMap((row) => row[key]))
    const ids = new Set(deployments.flatMap((fields) => fields[key]))
    return [...ids].filter((id) => !known.has(id) && !stored.has(id))
  }
  const channel_ids = unknown('channel_ids', turn.state.channels)
  if (channel_ids.length > 0) throw refuse('CHANNEL_NOT_FOUND', { channel_ids }, 'The project has no such channel.')
  const tag_ids = unknown('tag_ids', definitionsOf(turn).tags)
  if (tag_ids.length > 0) throw refuse('TAG_NOT_FOUND', { tag_ids })
}

function isSame(one: AssistantDeployment, other: AssistantDeployment): boolean {
  return JSON.stringify(toDeploymentRecord(one)) === JSON.stringify(toDeploymentRecord(other))
}
