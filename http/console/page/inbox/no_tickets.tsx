/** Explains an empty list. */

import type { Project } from '../data/project.ts'
import type { InboxFilter } from '../records/inbox.ts'
import { Empty } from '../ui/placeholders/empty.tsx'

/** For a project that nobody can write to yet. */
const words = {
  no_channels: 'No channel is connected yet',
  connect:
    'People reach this project by WhatsApp, e-mail, the web chat and others. Whoever runs Parley connects the first one; what people write then appears here.',
  how: 'How channels are connected',
}

/** Explanations of empty views. */
const NOTHING: Partial<Record<string, [title: string, text: string]>> = {
  mine: ['Nothing is assigned to you', 'Tickets that others assign to you, or that you take, appear here.'],
  unassigned: ['Everything has an owner', 'New tickets without an assignee appear here.'],
  all: ['No open tickets', 'A ticket is opened when a person writes.'],
  snoozed: ['Nothing is snoozed', 'Snoozed tickets come back at their time, or when the person writes.'],
  closed: ['No closed tickets', 'Closed tickets appear here.'],
}

export function NoTickets({ project, view, filter }: { project: Project; view: string; filter: InboxFilter }) {
  const is_filtered = Object.keys(filter).some((name) => name !== 'sort')
  if (is_filtered) return <Empty icon="filter" title="No ticket matches" text="Remove a filter to see more." />
  if (project.definitions.value?.channels.length === 0) {
    return (
      <Empty icon="inbox" title={words.no_channels} text={words.connect}>
        <a class="button" href={new URL('docs', document.baseURI).href} target="_blank" rel="noreferrer">
          {words.how}
        </a>
      </Empty>
    )
  }
  const [title, text] = NOTHING[view] ?? ['No ticket matches', 'The view shows tickets as they come to match it.']
  return <Empty icon="inbox" title={title} text={text} />
}
