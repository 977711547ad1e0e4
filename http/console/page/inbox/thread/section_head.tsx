/** The head of a ticket within the conversation with its person: when it was opened, and how it ended. */

import { inboxPlace } from '../../crm/inbox_places.ts'
import type { Project } from '../../data/project.ts'
import { exactly, moment } from '../../ui/format/format.ts'
import { memo } from '../../ui/memo.tsx'
import type { Section } from './conversation/sections.ts'

export const SectionHead = memo(
  ({
    section: { ticket_id, created_at, is_own, closed_at, resolution },
    project,
  }: {
    section: Section
    project: Project
  }) => {
    const opened = `${is_own ? 'This ticket' : 'Former ticket'}, opened ${moment(created_at)}`
    const end = closed_at && `closed ${moment(closed_at)}${resolution ? `, ${resolution}` : ''}`
    return (
      <h4 class="inbox-section" title={exactly(created_at)}>
        {is_own ? <span>{opened}</span> : <a href={inboxPlace(project.id, { view: 'closed', ticket_id })}>{opened}</a>}
        {!is_own && end && <span class="faint"> · {end}</span>}
      </h4>
    )
  },
)
