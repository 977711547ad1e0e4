/** The page of one contact or customer: its fields, tickets, appointments, loyalty, and what has happened. */

import { html } from 'htm/preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useActions } from '../app/actions.js'
import { ChannelMark, nameOfChannel } from '../inbox/channel.js'
import { AppointmentsPart } from '../inbox/panel/appointments_part.js'
import { ConflictNote } from '../inbox/panel/conflict_note.js'
import { ContactPart, CustomerPart } from '../inbox/panel/contact_part.js'
import { inboxPlace } from '../inbox/places.js'
import { Avatar } from '../ui/avatar.js'
import { personName } from '../ui/format.js'
import { Icon } from '../ui/icons.js'
import { Moment } from '../ui/moment.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { Conversation } from './conversation.js'
import { ContactsPart, CustomerFields, LoyaltyPart } from './customer_parts.js'
import { NoteForm, TimelineView } from './history.js'
import { Person } from './person.js'
import { peoplePlace } from './places.js'
import { TicketList } from './ticket_list.js'

/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */

/**
 * @param {{
 *   console: import('../app/console.js').Console
 *   project: import('../data/project.js').Project
 *   people: import('./people.js').People
 *   kind: import('./places.js').Kind
 *   id: string
 * }} props
 */
export function PersonPage({ console: core, project, people, kind, id }) {
  const person = useMemo(() => new Person(project, kind, id), [project, kind, id])
  const record = person.record.value
  const [is_writing, setWriting] = useState(false)
  const is_contact = kind === 'contact'
  const customer_id = record?.customer_id
  useEffect(() => {
    people.follow(person)
    person.read()
    return () => person.close()
  }, [person])
  useEffect(() => {
    if (record) person.readCustomer()
  }, [person, record === undefined, customer_id])
  const name = record && (is_contact ? personName(record) : record.full_name)
  useEffect(() => {
    core.title.value = name ?? (is_contact ? 'Contact' : 'Customer')
  }, [core, name])
  const tickets = person.tickets.data.value
  const open = tickets?.find((/** @type {AnyRecord} */ { is_closed }) => !is_closed)
  const openThread = () => {
    location.hash = inboxPlace(project.id, { view: 'all', ticket_id: open._id })
  }
  useActions(() => {
    if (!record) return []
    return open
      ? [{ text: 'Open the conversation', group: name, icon: 'message', keys: 'r', act: openThread }]
      : is_contact
        ? [{ text: 'Send a message', group: name, icon: 'send', keys: 'r', act: () => setWriting(true) }]
        : []
  }, [person, name, open?._id])

  const back = html`<a class="back" href=${peoplePlace(project.id, kind)}><${Icon} name="back" /> ${is_contact ? 'Contacts' : 'Customers'}</a>`
  if (!record) {
    const fault = person.fault.value
    return html`<div class="page">
      ${back}
      <h1 tabindex="-1" class="aside">${is_contact ? 'Contact' : 'Customer'}</h1>
      ${
        fault
          ? html`<${Trouble} title="This ${kind} cannot be shown" error=${fault} onRetry=${() => person.read()} />`
          : html`<${Waiting} label="Loading the ${kind}" rows=${4} />`
      }
    </div>`
  }
  const definitions = project.definitions.value
  const first_contact = is_contact ? record : person.contacts.data.value?.[0]
  return html`<div class="page person">
    ${back}
    <div class="page-head">
      <div class="person-name">
        <${Avatar} name=${name} id=${id} picture=${record.avatar} size="large" />
        <div>
          <h1 tabindex="-1" data-focus>${name}</h1>
          <p class="faint">
            ${
              is_contact
                ? html`<${ChannelMark} type=${record.channel_type} /> ${nameOfChannel(record.channel_type)} · last seen ${html`<${Moment} at=${record.last_seen_at} />`}`
                : html`Customer since ${html`<${Moment} at=${record.created_at} />`}`
            }
          </p>
        </div>
      </div>
      ${
        open
          ? html`<a class="button primary" href=${inboxPlace(project.id, { view: 'all', ticket_id: open._id })}><${Icon} name="message" /> Open conversation</a>`
          : is_contact &&
            html`<button type="button" class="button primary" onClick=${() => setWriting(true)}><${Icon} name="send" /> Message</button>`
      }
    </div>
    <${ConflictNote} changes=${person.changes} />
    <div class="person-columns">
      <div class="person-main">
        <${TicketList} project=${project} tickets=${person.tickets} has_names=${!is_contact} />
        ${
          is_contact &&
          html`<section class="card person-history" aria-label="Timeline">
            <h2>Timeline</h2>
            <${NoteForm} project=${project} contact=${record} onWritten=${() => person.timeline.read()} />
            <${TimelineView} project=${project} timeline=${person.timeline} />
          </section>`
        }
      </div>
      <aside class="card person-side panel" aria-label="Details">
        ${
          is_contact
            ? [
                html`<${ContactPart} changes=${person.changes} contact=${record} definitions=${definitions} />`,
                html`<${CustomerPart} project=${project} changes=${person.changes} contact=${record} details=${person} />`,
              ]
            : [
                html`<${CustomerFields} changes=${person.changes} customer=${record} definitions=${definitions} />`,
                html`<${ContactsPart} project=${project} contacts=${person.contacts} />`,
                html`<${LoyaltyPart} memberships=${person.memberships} />`,
              ]
        }
        ${
          first_contact &&
          html`<${AppointmentsPart} project=${project} contact=${first_contact} details=${person} definitions=${definitions} />`
        }
      </aside>
    </div>
    ${is_writing && html`<${Conversation} project=${project} contact=${record} onClose=${() => setWriting(false)} />`}
  </div>`
}
