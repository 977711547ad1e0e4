/** One appointment: who, when and where, and what can be done with it. */

import { useEffect, useState } from 'preact/hooks'
import { faultOf } from '../data/errors.ts'
import { addressOf } from '../data/places.ts'
import type { Fault } from '../records/fault.ts'
import type { AnyRecord } from '../records/record.ts'
import { exactly, personName } from '../ui/format/format.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { toast } from '../ui/overlays/toast.ts'
import { Avatar } from '../ui/pictures/avatar.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import type { Shared } from './shared.ts'
import { personOf, refusalText, STATUS_WORDS, type Step, stepsOf, whenText } from './words.ts'
import { zoneText } from './zone.ts'

export function Details({ project, calendar, place, id, go, edit }: Shared & { id: string }) {
  const entry = calendar.entries.value.get(id)
  const [fault, setFault] = useState<Fault | null>(null)
  const [ticket, setTicket] = useState<AnyRecord>(null)
  const [busy, setBusy] = useState<string | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  useEffect(() => {
    calendar.find(id).catch((error) => setFault(faultOf(error)))
  }, [id])
  const chat_user = entry?.chat_user
  useEffect(() => {
    if (!chat_user) return
    // The newest is the open one, if there is one.
    project.api.get('crm/tickets', { chat_user, limit: 1 }).then(
      ({ data }) => setTicket(data[0] ?? null),
      () => {},
    )
  }, [chat_user])
  const close = () => go({ open: undefined })
  if (!entry) {
    return (
      <Dialog title="Appointment" onClose={close} has_close>
        {fault ? (
          <Trouble title="It could not be loaded" error={fault} />
        ) : (
          <Waiting label="Loading the appointment" rows={2} />
        )}
      </Dialog>
    )
  }
  const take = async ({ event, done }: { event: Step; done: string }) => {
    setBusy(event)
    setRefused(null)
    try {
      await calendar.step(id, event)
      toast(`The appointment is ${done}`)
    } catch (error) {
      setRefused(refusalText(faultOf(error), place.zone))
    }
    setBusy(null)
  }
  const { status, number, assigned_to, location, meeting_url, modality, payment_status, amount, currency } = entry
  const { text, badge } = STATUS_WORDS[status]
  const steps = stepsOf(status)
  const is_elsewhere = entry.timezone !== place.zone
  const reminder = entry.reminder as AnyRecord
  return (
    <Dialog title={personOf(entry)} onClose={close} has_close class="cal-details">
      <p class="cal-facts-head">
        <span class={`badge ${badge}`}>{text}</span> <span class="faint">Appointment {number}</span>
      </p>
      <dl class="cal-facts">
        <div>
          <dt>
            <Icon name="clock" /> <span class="aside">When</span>
          </dt>
          <dd>
            <time datetime={entry.starts_at} title={exactly(entry.starts_at)}>
              {whenText(entry, place.zone)}
            </time>
            <p class="faint">
              {zoneText(place.zone, Date.parse(entry.starts_at))}
              {is_elsewhere
                ? ` · for the person ${whenText(entry, entry.timezone)} (${zoneText(entry.timezone, Date.parse(entry.starts_at))})`
                : ''}
            </p>
          </dd>
        </div>
        <div>
          <dt>
            <Icon name="assign" /> <span class="aside">Assignee</span>
          </dt>
          <dd>
            {assigned_to ? (
              <span class="cal-person">
                <Avatar name={assigned_to.full_name} id={assigned_to.id} size="small" /> {assigned_to.full_name}
              </span>
            ) : (
              <span class="faint">Nobody assigned</span>
            )}
          </dd>
        </div>
        <div>
          <dt>
            <Icon name="pin" /> <span class="aside">Place</span>
          </dt>
          <dd>
            {meeting_url && (
              <a href={meeting_url} target="_blank" rel="noopener noreferrer">
                Open the meeting
              </a>
            )}
            {location ?? (meeting_url ? '' : modality === 'online' ? 'Online' : <span class="faint">In person</span>)}
          </dd>
        </div>
        <div>
          <dt>
            <Icon name="person" /> <span class="aside">Person</span>
          </dt>
          <dd>
            {chat_user ? (
              <>
                <a href={addressOf(project.id, 'inbox', ['contact', chat_user])}>
                  {(entry.contact && personName(entry.contact)) || 'The contact'}
                </a>
                {entry.contact?.name && entry.contact.phone && <span class="faint">{entry.contact.phone}</span>}
              </>
            ) : (
              <span class="faint">{entry.customer?.full_name ?? 'No contact'}</span>
            )}
            {ticket && (
              <p>
                <a href={addressOf(project.id, 'inbox', [ticket.is_closed ? 'closed' : 'all', ticket._id])}>
                  {ticket.is_closed ? 'Last ticket, closed' : 'Open ticket'}
                </a>{' '}
                <span class="faint">{ticket.category ?? ''}</span>
              </p>
            )}
          </dd>
        </div>
        {(amount !== null || payment_status !== 'unpaid') && (
          <div>
            <dt>
              <Icon name="tag" /> <span class="aside">Payment</span>
            </dt>
            <dd>
              {amount ?? ''} {currency ?? ''} <span class="faint">{payment_status}</span>
            </dd>
          </div>
        )}
        {reminder && (
          <div>
            <dt>
              <Icon name="bell" /> <span class="aside">Reminder</span>
            </dt>
            <dd>
              Reminder {reminder.status}{' '}
              <span class="faint">
                {reminder.error?.message ??
                  whenText({ starts_at: reminder.due_at, ends_at: reminder.due_at }, place.zone).replace(/ – .*/, '')}
              </span>
            </dd>
          </div>
        )}
      </dl>
      <div role="alert">
        {refused && (
          <p class="note bad">
            <Icon name="alert" /> {refused}
          </p>
        )}
      </div>
      <div class="actions cal-steps-taken">
        {steps.map((step) => (
          <button
            type="button"
            class={step.event === 'confirm' ? 'button primary' : step.event === 'cancel' ? 'button danger' : 'button'}
            aria-busy={busy === step.event}
            disabled={busy !== null}
            onClick={() => take(step)}
            key={step.event}
          >
            {step.text}
          </button>
        ))}
        <button type="button" class="button" onClick={() => edit({ entry })}>
          <Icon name="edit" /> Edit
        </button>
      </div>
    </Dialog>
  )
}
