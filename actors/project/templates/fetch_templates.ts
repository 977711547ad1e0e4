/** Fetches lists of templates as slow work of this actor beside its turns: the result never leaves the node. */
import type { Providers } from '../../providers/mod.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { syncIn } from './sync_timer.ts'
import { templateName } from './template_named.ts'

type Fetching = {
  /** Lists being fetched by channel, each with a mark to fetch it once more. */
  running: Map<string, { again: boolean }>
  /** `templateKey` of templates that webhooks reported. */
  told: Set<string>
  /** One of the lists that were fetched together could not be fetched. */
  has_failed: boolean
}

export const fetching = new Memory<Fetching>(() => ({ running: new Map(), told: new Set(), has_failed: false }))

/** Milliseconds until all lists are fetched again, if a fetch fails or its node dies. */
const AGAIN_MS = 10 * 60_000

/** Fetches the list of a channel. During a fetch, it is fetched once more afterwards. */
export function fetchTemplates(turn: ProjectTurn, channel: ProjectChannel, providers: Providers): void {
  const { running } = fetching.of(turn.state)
  const list = providers.of(channel)?.listTemplates
  if (!list) return
  const before = running.get(channel.id)
  if (before) {
    before.again = true
    return
  }
  running.set(channel.id, { again: false })
  syncIn(turn, AGAIN_MS)
  const { id: channel_id, credentials } = channel
  const fetch = async () => {
    const listed = await list(credentials)
    if ('failure' in listed) return { type: 'templates_not_listed', channel_id }
    const { templates } = listed
    return { type: 'templates_listed', channel_id, templates, all: templates.map(templateName), is_fetched: true }
  }
  turn.work(fetch, { outside: true })
}

/** The fetch of a list has ended. The last one of those under way sets the time of the next. */
export function endFetch(turn: ProjectTurn, channel_id: string, has_failed: boolean): void {
  const all = fetching.of(turn.state)
  all.running.delete(channel_id)
  all.has_failed ||= has_failed
  if (all.running.size > 0) return
  syncIn(turn, all.has_failed ? AGAIN_MS : undefined)
  all.has_failed = false
}
