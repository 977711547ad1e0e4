/** The filters in use, each with a button that takes it away. */

import { nameOfChannel } from '../crm/channels.ts'
import { nameOfStage } from '../crm/rows.ts'
import type { Project } from '../data/project.ts'
import type { Definitions } from '../records/definitions.ts'
import type { InboxFilter } from '../records/inbox.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { FAILED_ONLY } from './words.ts'

export function FilterChips({
  project,
  filter,
  go,
}: {
  project: Project
  filter: InboxFilter
  go(filter: InboxFilter): void
}) {
  const definitions = project.definitions.value
  const { sort, search, ...chosen } = filter
  const names = Object.keys(chosen) as (keyof typeof chosen)[]
  return (
    <ul class="inbox-chips" aria-label="Filters in use">
      {names.map((name) => {
        const text = chipText(name, String(chosen[name]), definitions)
        return (
          <li key={name}>
            <span>{text}</span>
            <button
              type="button"
              class="quiet"
              aria-label={`Remove the filter ${text}`}
              onClick={() => go({ ...filter, [name]: undefined })}
            >
              <Icon name="close" />
            </button>
          </li>
        )
      })}
      {names.length > 1 && (
        <li class="inbox-chips-all">
          <button type="button" class="link" onClick={() => go({ ...(sort && { sort }), ...(search && { search }) })}>
            Clear all
          </button>
        </li>
      )}
    </ul>
  )
}

/**
 * A filter in words.
 *
 * @public for tests
 */
export function chipText(name: string, value: string, definitions: Definitions | null | undefined) {
  switch (name) {
    case 'stage_id':
      return `Stage: ${nameOfStage(value, definitions) ?? 'a former stage'}`
    case 'channel_type':
      return `Channel: ${nameOfChannel(value)}`
    case 'channel_id':
      return `Channel: ${definitions?.channels.find(({ _id }) => _id === value)?.name ?? 'a former channel'}`
    case 'tag_id':
      return `Tag: ${definitions?.tags.find(({ _id }) => _id === value)?.name ?? 'a former tag'}`
    case 'assigned_to':
      return `Assignee: ${definitions?.users.find(({ _id }) => _id === value)?.full_name ?? 'a former user'}`
    case 'handled_by':
      return `Answered by: ${value}`
    case 'priority':
      return `Priority: ${value}`
    case 'is_unread':
      return value === 'true' ? 'Unread only' : 'Read only'
    case 'is_failed':
      return value === 'true' ? FAILED_ONLY : 'Without failed replies'
    default:
      return `${name.replaceAll('_', ' ')}: ${value}`
  }
}
