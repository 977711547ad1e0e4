/** Leads from a contact to its open ticket. */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { faultOf } from '../data/errors.js'
import { Empty } from '../ui/empty.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { inboxPlace } from './places.js'

/**
 * @param {{ project: import('../data/project.js').Project, contact_id: string }} props
 */
export function OpenContact({ project, contact_id }) {
  const [state, setState] = useState(/** @type {'none' | import('../../page_types/fault.ts').Fault | null} */ (null))
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
  if (state === null) return html`<div class="page"><${Waiting} label="Looking for the ticket" rows=${3} /></div>`
  if (state === 'none') {
    return html`<${Empty} level=${1} icon="inbox" title="No ticket yet" text="This person has no ticket. One is opened with the next message.">
      <a class="button" href=${inboxPlace(project.id, { view: 'all' })}>Go to the inbox</a>
    <//>`
  }
  return html`<div class="page"><${Trouble} title="The ticket could not be looked up" error=${state} /></div>`
}
