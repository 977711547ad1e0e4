/** Warnings about the Flow of a message, by our copy of its status. */
import type { FlowStatus } from '../../../storage/mod.ts'
import type { Warning } from '../templates/template_warnings.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { flowReads } from './reads.ts'

const REFUSES: Record<Exclude<FlowStatus, 'published'>, string> = {
  draft: 'The provider refuses messages of it until it is published',
  throttled: 'Its endpoint does not work well, so the provider limits how often it is opened',
  blocked: 'Its endpoint does not work, and the provider refuses messages of it until it does',
  deprecated: 'The provider refuses messages of it for good',
}

/** Empty for other messages, and for a Flow that is published or not registered here. */
export function flowWarnings(turn: ProjectTurn, message: { type: string; flow_id?: string }): Warning[] {
  if (message.type !== 'flow') return []
  const flow = turn.records.of(flowReads).get(message.flow_id ?? '')
  if (!flow || flow.status === 'published') return []
  const { name, status } = flow
  return [{ code: 'FLOW_NOT_PUBLISHED', message: `The Flow ${name} has the status ${status}. ${REFUSES[status]}.` }]
}
