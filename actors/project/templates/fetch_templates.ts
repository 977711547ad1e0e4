/** Fetches lists of templates as slow work of this actor beside its turns: the result never leaves the node. */
import type { Providers } from '../../providers/mod.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { templateName } from './template_named.ts'

type Fetching = {
  /** Lists being fetched by channel, each with a mark to fetch it once more. */
  running: Map<string, { again: boolean }>
  /** `templateKey` of templates that webhooks reported. */
  told: Set<string>
}

export const fetching = new Memory<Fetching>(() => ({ running: new Map(), told: new Set() }))

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
  const { id: channel_id, credentials } = channel
  turn.work(async () => {
    const listed = await list(credentials)
    if ('failure' in listed) return { type: 'templates_not_listed', channel_id }
    const { templates } = listed
    return { type: 'templates_listed', channel_id, templates, all: templates.map(templateName), is_fetched: true }
  })
}
