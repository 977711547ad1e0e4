/** Leads from a contact to its open ticket. */

import { useEffect, useState } from 'preact/hooks'
import { inboxPlace } from '../crm/inbox_places.ts'
import { faultOf } from '../data/errors.ts'
import type { Project } from '../data/project.ts'
import type { Fault } from '../records/fault.ts'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'

export function OpenContact({ project, contact_id }: { project: Project; contact_id: string }) {
  const [state, setState] = useState<'none' | Fault | null>(null)
  useEffect(() => {
    const ask = async () => {
      // The newest is the open one, if there is one.
      const { data } = await project.api.get('crm/tickets', { chat_user: contact_id, limit: 1 })
      const [ticket] = data
      if (ticket)
        location.replace(inboxPlace(project.id, { view: ticket.is_closed ? 'closed' : 'all', ticket_id: ticket._id }))
      else setState('none')
    }
    ask().catch((error) => setState(faultOf(error)))
  }, [project, contact_id])
  if (state === null)
    return (
      <div class="page">
        <Waiting label="Looking for the ticket" rows={3} />
      </div>
    )
  if (state === 'none') {
    return (
      <Empty
        level={1}
        icon="inbox"
        title="No ticket yet"
        text="This person has no ticket. One is opened with the next message."
      >
        <a class="button" href={inboxPlace(project.id, { view: 'all' })}>
          Go to the inbox
        </a>
      </Empty>
    )
  }
  return (
    <div class="page">
      <Trouble title="The ticket could not be looked up" error={state} />
    </div>
  )
}
