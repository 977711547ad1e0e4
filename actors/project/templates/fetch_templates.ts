/** Fetches lists of templates as slow work of this actor beside its turns: the result never leaves the node. */
import type { Providers } from '../../providers/mod.ts'
import { Memory } from '../turn/memory.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { syncIn } from './sync_timer.ts'
import { type TemplateNamed, templateKey, templateName } from './template_named.ts'

type Fetching = {
  /** Lists being fetched by channel, each with a mark to fetch it once more. `since`: Unix milliseconds. */
  running: Map<string, { again: boolean; since: number }>
  /** `templateKey` of templates that webhooks reported. */
  news: Set<string>
  /** Unix milliseconds at which a template was last changed otherwise than by a list, by `templateKey`. */
  written: Map<string, number>
  /** One of the lists that were fetched together could not be fetched. */
  has_failed: boolean
}

export const fetching = new Memory<Fetching>(() => ({
  running: new Map(),
  news: new Set(),
  written: new Map(),
  has_failed: false,
}))

/** Milliseconds that a list may take. One that does not say when it was asked for may be so old. */
const LIST_MS = 60_000
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
  running.set(channel.id, { again: false, since: turn.now.getTime() })
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

/** A client or a webhook changed a template: a list that began before says nothing of it. */
export function noteWritten({ state, now }: ProjectTurn, channel_id: string, template: TemplateNamed): void {
  const { written, running } = fetching.of(state)
  const past = Math.min(now.getTime() - LIST_MS, ...[...running.values()].map(({ since }) => since))
  const key = templateKey(channel_id, template)
  // The latest is the last one.
  written.delete(key)
  written.set(key, now.getTime())
  for (const [other, at] of written) {
    if (at >= past) break
    written.delete(other)
  }
}

/** Tells of a template whether it was changed after this time, in Unix milliseconds. */
export function writtenAfter(
  { state, now }: ProjectTurn,
  channel_id: string,
  time: number = now.getTime() - LIST_MS,
): (template: TemplateNamed) => boolean {
  const { written } = fetching.of(state)
  return (template) => (written.get(templateKey(channel_id, template)) ?? 0) > time
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
