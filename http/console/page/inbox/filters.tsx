/** The filters of the list. */

import { CHANNEL_TYPES, nameOfChannel } from '../crm/channels.ts'
import type { Project } from '../data/project.ts'
import type { InboxFilter } from '../records/inbox.ts'
import { SelectField, Switch } from '../ui/forms/field.tsx'
import { FAILED_ONLY } from './words.ts'

const ANY = { value: '', text: 'Any' }
const HANDLERS = [
  { value: 'assistant', text: 'An assistant' },
  { value: 'person', text: 'A person' },
  { value: 'nobody', text: 'Nobody' },
]
const PRIORITIES = ['urgent', 'high', 'medium', 'low']

export function Filters({
  project,
  filter,
  go,
}: {
  project: Project
  filter: InboxFilter
  go(filter: InboxFilter): void
}) {
  const definitions = project.definitions.value
  const has_several = (definitions?.pipelines.length ?? 0) > 1
  const stages = definitions?.pipelines.flatMap(({ name: pipeline, stages }) =>
    stages.map(({ _id, name }) => ({ value: _id, text: has_several ? `${pipeline}: ${name}` : name })),
  )
  const users = definitions?.users.filter(({ is_active }) => is_active)
  const channels = new Set(definitions?.channels.map(({ channel_type }) => channel_type))
  const fields: { label: string; field: keyof InboxFilter; options: { value: string; text: string }[] }[] = [
    { label: 'Stage', field: 'stage_id', options: stages ?? [] },
    {
      label: 'Channel',
      field: 'channel_type',
      options: CHANNEL_TYPES.filter((type) => channels.has(type)).map((type) => ({
        value: type,
        text: nameOfChannel(type),
      })),
    },
    {
      label: 'Tag',
      field: 'tag_id',
      options: (definitions?.tags ?? []).map(({ _id, name }) => ({ value: _id, text: name })),
    },
    {
      label: 'Assignee',
      field: 'assigned_to',
      options: (users ?? []).map(({ _id, full_name }) => ({ value: _id, text: full_name })),
    },
    { label: 'Answered by', field: 'handled_by', options: HANDLERS },
    {
      label: 'Priority',
      field: 'priority',
      options: PRIORITIES.map((value) => ({ value, text: value.replace(/^./, (letter) => letter.toUpperCase()) })),
    },
  ]
  return (
    <div class="inbox-filters">
      {fields.map(({ label, field, options }) => (
        <SelectField
          label={label}
          value={filter[field] ?? ''}
          options={[ANY, ...options]}
          onChange={(value) => go({ ...filter, [field]: value || undefined })}
          key={field}
        />
      ))}
      <Switch
        label="Unread only"
        is_on={filter.is_unread === 'true'}
        onChange={(is_on) => go({ ...filter, is_unread: is_on ? 'true' : undefined })}
      />
      <Switch
        label={FAILED_ONLY}
        is_on={filter.is_failed === 'true'}
        onChange={(is_on) => go({ ...filter, is_failed: is_on ? 'true' : undefined })}
      />
      <button type="button" class="button" onClick={() => go({})}>
        Clear filters
      </button>
    </div>
  )
}
