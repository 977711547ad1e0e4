/** The tickets of a contact or of a customer. */

import { inboxPlace } from '../crm/inbox_places.ts'
import type { Reading } from '../crm/reading.ts'
import { amountText } from '../crm/record/amount.ts'
import { nameOfStage } from '../crm/rows.ts'
import type { Project } from '../data/project.ts'
import type { AnyRecord } from '../records/record.ts'
import { Moment } from '../ui/format/moment.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'

export function TicketList({
  project,
  tickets,
  has_names,
}: {
  project: Project
  tickets: Reading
  has_names: boolean
}) {
  const list = tickets.data.value
  const fault = tickets.fault.value
  const definitions = project.definitions.value
  return (
    <section class="card person-tickets" aria-label="Tickets">
      <h2>Tickets {list && list.length > 0 && <span class="tab-count">{list.length}</span>}</h2>
      {!list && fault && (
        <Trouble title="The tickets could not be loaded" error={fault} onRetry={() => tickets.read()} />
      )}
      {!list && !fault && (
        <p class="faint" role="status">
          Loading…
        </p>
      )}
      {list?.length === 0 && <p class="faint">No ticket yet. One is opened when the person writes.</p>}
      <ul>
        {list?.map((ticket: AnyRecord) => {
          const { _id, is_closed, resolution, category, conversation_summary, stage, amount, amount_currency } = ticket
          const title = conversation_summary?.motivo || category || 'Ticket'
          const stage_name = nameOfStage(stage.stage_id, definitions)
          const state = is_closed ? ['Closed', resolution].filter(Boolean).join(', ') : 'Open'
          return (
            <li key={_id}>
              <div class="person-ticket">
                <a href={inboxPlace(project.id, { view: is_closed ? 'closed' : 'all', ticket_id: _id })}>{title}</a>
                <p class="faint">
                  {[
                    has_names && ticket.chat_user_name,
                    stage_name,
                    amountText(amount, amount_currency),
                    ticket.assigned_to?.full_name,
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </p>
              </div>
              <span class={is_closed ? 'badge' : 'badge sending'}>{state}</span>
              <span class="faint person-when">
                <Moment at={ticket.last_activity_at} />
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
