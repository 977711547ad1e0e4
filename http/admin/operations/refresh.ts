import { type ProviderTemplate, type Refreshed, templateName } from '../../../actors/mod.ts'
import { type Channel, type ChannelStatus, listProjectIds, now } from '../../../storage/mod.ts'
import type { RequestContext } from '../../server/route/route.ts'

const REPEATABLE = { repeatable: true }

/**
 * Tells the actors that cache a record to read it again, and waits for them, so that an operator who got the answer may
 * rely on the change. Store the record first. `limits` stands for the project's own row. Any refresh also renews the
 * names in `GET /v1/me`.
 */
export async function refreshProject(
  context: RequestContext,
  project_id: string,
  what: Refreshed,
  id: string,
): Promise<void> {
  await context.runtime.ask(`project/${project_id}`, { type: 'refresh', what, id }, REPEATABLE)
}

/**
 * Announces a change of a channel to its actor, which looks for the change if this node dies before it refreshes the
 * channel. Returns false when the actor is on a node of the release before.
 */
export async function announceChannelChange(
  context: RequestContext,
  project_id: string,
  channel_id: string,
): Promise<boolean> {
  const message = { type: 'refresh', announces: { project_id } }
  return (await context.runtime.ask(`channel/${channel_id}`, message, REPEATABLE)) === true
}

/**
 * Refreshes a changed channel in its own actor and in that of its project. `was`: its status before a change that may
 * affect it, for an actor that heard no announcement.
 */
export async function refreshChannel(
  context: RequestContext,
  project_id: string,
  channel_id: string,
  status: { is_new?: boolean; was?: ChannelStatus | undefined; is_announced: boolean },
): Promise<void> {
  await Promise.all([
    refreshProject(context, project_id, 'channel', channel_id),
    context.runtime.ask(`channel/${channel_id}`, { type: 'refresh', ...status }, REPEATABLE),
  ])
}

/** Characters of one message to the project. A longer list is split, because messages between nodes are limited. */
const PART_CHARACTERS = 1_000_000

/**
 * Returns a function that sends the provider's list to the project, which stores it and publishes the changes to its
 * subscriptions. Call before the list is asked for.
 */
export function templatesTeller(context: RequestContext, { _id, project_id }: Pick<Channel, '_id' | 'project_id'>) {
  const since = now()
  return async (listed: ProviderTemplate[]): Promise<void> => {
    const tell = async (templates: ProviderTemplate[], all: string[] | null) => {
      const message = { type: 'templates_listed', channel_id: _id, templates, all, since }
      await context.runtime.ask(`project/${project_id}`, message, REPEATABLE)
    }
    let part: ProviderTemplate[] = []
    let size = 0
    for (const template of listed) {
      part.push(template)
      size += JSON.stringify(template).length
      if (size < PART_CHARACTERS) continue
      await tell(part, null)
      part = []
      size = 0
    }
    await tell(part, listed.map(templateName))
  }
}

/** The same for all projects of a company, each of which caches records of the company. */
export async function refreshCompany(
  context: RequestContext,
  company_id: string,
  what: 'limits' | 'crm',
): Promise<void> {
  const projects = await listProjectIds(context.database, company_id)
  await Promise.all(projects.map((project_id) => refreshProject(context, project_id, what, project_id)))
}
