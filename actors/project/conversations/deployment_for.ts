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
  const isHere = placeOf(situation)
  let is_open: boolean | undefined
  return state.deployments.ranked.find((deployment) => {
    if (!isHere(deployment)) return false
    if (deployment.answers === 'unanswered') return waiting_minutes >= deployment.after_minutes!
    if (is_peoples) return false
    if (deployment.answers === 'always') return true
    is_open ??= openingAt(state.office_hours, now).is_open
    return !is_open
  })
}

/** The least `after_minutes` at which a deployment can begin to match; undefined where waiting changes nothing. */
export function leastAfterMinutes({ state }: Place, { waiting_minutes, ...situation }: Situation): number | undefined {
  const isHere = placeOf(situation)
  let least: number | undefined
  for (const deployment of state.deployments.ranked) {
    const minutes = deployment.answers === 'unanswered' ? deployment.after_minutes! : 0
    if (minutes <= waiting_minutes || !isHere(deployment)) continue
    if (least === undefined || minutes < least) least = minutes
  }
  return least
}

/** True for deployments of the channel and the tags. A set, because each of a thousand deployments may name fifty of a hundred tags. */
function placeOf({
  ticket,
  channel_id,
}: Omit<Situation, 'waiting_minutes'>): (deployment: AssistantDeployment) => boolean {
  const tags = new Set(ticket.tag_ids)
  return ({ channel_ids, tag_ids }) => {
    if (channel_ids.length > 0 && !channel_ids.includes(channel_id)) return false
    return tag_ids.length === 0 || tag_ids.some((id) => tags.has(id))
  }
}
