/** The page of one contact or customer: its fields, tickets, appointments, loyalty, and what has happened. */

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Console } from '../core/console.ts'
import { ChannelMark } from '../crm/channel.tsx'
import { nameOfChannel } from '../crm/channels.ts'
import { inboxPlace } from '../crm/inbox_places.ts'
import { AppointmentsPart } from '../crm/record/appointments_part.tsx'
import { ConflictNote } from '../crm/record/conflict_note.tsx'
import { ContactPart, CustomerPart } from '../crm/record/contact_part.tsx'
import type { Project } from '../data/project.ts'
import type { AnyRecord } from '../records/record.ts'
import { useActions } from '../ui/actions.ts'
import { personName } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { Avatar } from '../ui/pictures/avatar.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { Conversation } from './conversation.tsx'
import { ContactsPart, CustomerFields, LoyaltyPart } from './customer_parts.tsx'
import { NoteForm, TimelineView } from './history.tsx'
import { MergePart } from './merge_part.tsx'
import type { People } from './people.ts'
import { Person } from './person.ts'
import { type Kind, peoplePlace } from './places.ts'
import { TicketList } from './ticket_list.tsx'

export function PersonPage({
  console: core,
  project,
  people,
  kind,
  id,
}: {
  console: Console
  project: Project
  people: People
  kind: Kind
  id: string
}) {
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
  const moved_to = person.moved_to.value
  useEffect(() => {
    if (moved_to) location.replace(peoplePlace(project.id, kind, moved_to))
  }, [moved_to])
  const name = record && (is_contact ? personName(record) : record.full_name)
  useEffect(() => {
    core.title.value = name ?? (is_contact ? 'Contact' : 'Customer')
  }, [core, name])
  const tickets = person.tickets.data.value
  const open = tickets?.find(({ is_closed }: AnyRecord) => !is_closed)
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

  const back = (
    <a class="back" href={peoplePlace(project.id, kind)}>
      <Icon name="back" /> {is_contact ? 'Contacts' : 'Customers'}
    </a>
  )
  if (!record) {
    const fault = person.fault.value
    return (
      <div class="page">
        {back}
        <h1 tabindex={-1} class="aside">
          {is_contact ? 'Contact' : 'Customer'}
        </h1>
        {fault ? (
          <Trouble title={`This ${kind} cannot be shown`} error={fault} onRetry={() => person.read()} />
        ) : (
          <Waiting label={`Loading the ${kind}`} rows={4} />
        )}
      </div>
    )
  }
  const definitions = project.definitions.value
  const first_contact = is_contact ? record : person.contacts.data.value?.[0]
  return (
    <div class="page person">
      {back}
      <div class="page-head">
        <div class="person-name">
          <Avatar name={name} id={id} picture={record.avatar} size="large" />
          <div>
            <h1 tabindex={-1} data-focus>
              {name}
            </h1>
            <p class="faint">
              {is_contact ? (
                <>
                  <ChannelMark type={record.channel_type} /> {nameOfChannel(record.channel_type)} · last seen{' '}
                  <Moment at={record.last_seen_at} />
                </>
              ) : (
                <>
                  Customer since <Moment at={record.created_at} />
                </>
              )}
            </p>
          </div>
        </div>
        {open ? (
          <a class="button primary" href={inboxPlace(project.id, { view: 'all', ticket_id: open._id })}>
            <Icon name="message" /> Open conversation
          </a>
        ) : (
          is_contact && (
            <button type="button" class="button primary" onClick={() => setWriting(true)}>
              <Icon name="send" /> Message
            </button>
          )
        )}
      </div>
      <ConflictNote changes={person.changes} />
      <div class="person-columns">
        <div class="person-main">
          <TicketList project={project} tickets={person.tickets} has_names={!is_contact} />
          {is_contact && (
            <section class="card person-history" aria-label="Timeline">
              <h2>Timeline</h2>
              <NoteForm project={project} contact={record} onWritten={() => person.timeline.read()} />
              <TimelineView project={project} timeline={person.timeline} />
            </section>
          )}
        </div>
        <aside class="card person-side panel" aria-label="Details">
          {is_contact
            ? [
                <ContactPart changes={person.changes} contact={record} definitions={definitions} />,
                <CustomerPart project={project} changes={person.changes} contact={record} details={person} />,
                <MergePart project={project} contact={record} merges={person.merges} onChanged={() => person.read()} />,
              ]
            : [
                <CustomerFields
                  project_id={project.id}
                  changes={person.changes}
                  customer={record}
                  definitions={definitions}
                />,
                <ContactsPart project={project} contacts={person.contacts} />,
                <LoyaltyPart memberships={person.memberships} />,
              ]}
          {first_contact && (
            <AppointmentsPart project={project} contact={first_contact} details={person} definitions={definitions} />
          )}
        </aside>
      </div>
      {is_writing && <Conversation project={project} contact={record} onClose={() => setWriting(false)} />}
    </div>
  )
}
