import type { AssistantDeployment } from '../../../storage/mod.ts'
import { openingAt } from '../../office_hours/mod.ts'
import type { ProjectState } from '../turn/state.ts'

type Situation = {
  ticket: { tag_ids: readonly string[] }
  /** The channel on which the person wrote. */
  channel_id: string
  /** Time since the first message of the person that nothing answered. */
  waiting_minutes: number
}

type Place = { state: Pick<ProjectState, 'deployments' | 'office_hours'> }

/**
 * The deployment that lets its assistant answer the ticket now; undefined where none does. `is_peoples`: people have the ticket, so
 * that only their silence counts.
 */
export function deploymentFor(
  { state }: Place,
  { now, waiting_minutes, is_peoples, ...situation }: Situation & { now: Date; is_peoples: boolean },
): AssistantDeployment | undefined {
  let is_open: boolean | undefined
  return state.deployments.ranked.find((deployment) => {
    if (!isPlace(deployment, situation)) return false
    if (deployment.answers === 'unanswered') return waiting_minutes >= deployment.after_minutes!
    if (is_peoples) return false
    if (deployment.answers === 'always') return true
    is_open ??= openingAt(state.office_hours, now).is_open
    return !is_open
  })
}

/** The least `after_minutes` at which a deployment can begin to match; undefined where waiting changes nothing. */
export function leastAfterMinutes({ state }: Place, { waiting_minutes, ...situation }: Situation): number | undefined {
  let least: number | undefined
  for (const deployment of state.deployments.ranked) {
    const minutes = deployment.answers === 'unanswered' ? deployment.after_minutes! : 0
    if (minutes <= waiting_minutes || !isPlace(deployment, situation)) continue
    if (least === undefined || minutes < least) least = minutes
  }
  return least
}

function isPlace(
  { channel_ids, tag_ids }: AssistantDeployment,
  { ticket, channel_id }: Omit<Situation, 'waiting_minutes'>,
): boolean {
  if (channel_ids.length > 0 && !channel_ids.includes(channel_id)) return false
  return tag_ids.length === 0 || tag_ids.some((id) => ticket.tag_ids.includes(id))
}
