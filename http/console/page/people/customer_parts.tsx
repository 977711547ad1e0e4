/** The parts of a customer's page: its fields, its contacts, and its loyalty. */

import { ChannelMark } from '../crm/channel.tsx'
import type { Reading } from '../crm/reading.ts'
import { CustomFields } from '../crm/record/custom_fields.tsx'
import { Editable, Part, Row } from '../crm/record/fields.tsx'
import { toastRefused } from '../crm/record/refused.ts'
import { errorText } from '../data/errors.ts'
import type { Project } from '../data/project.ts'
import type { RecordChanges } from '../data/record_changes.ts'
import type { Definitions } from '../records/definitions.ts'
import type { AnyRecord } from '../records/record.ts'
import { personName } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { peoplePlace } from './places.ts'

const PHONE = /^\+[1-9]\d{6,14}$/
const EMAIL = /^[^\s@]+@[^\s@]+$/
const MAX_TAGS = 100

export function CustomerFields({
  project_id,
  changes,
  customer,
  definitions,
}: {
  project_id: string
  changes: RecordChanges
  customer: AnyRecord
  definitions: Definitions | undefined
}) {
  const { full_name, email, phone, external_id, tags, custom_fields, created_at } = customer
  const change = (what: string, fields: AnyRecord) =>
    changes.change(what, fields).catch((fault) => toastRefused(project_id, 'customer', what, fault))
  return (
    <Part title="Customer">
      <Editable label="Name" value={full_name} onSave={(value) => value && change('the name', { full_name: value })} />
      <Editable
        label="E-mail"
        value={email}
        type="email"
        onSave={(value) => change('the e-mail address', { email: value })}
        problemOf={(text) => (EMAIL.test(text) ? null : 'Write an address, such as ana@example.com.')}
      />
      <Editable
        label="Phone"
        value={phone}
        type="tel"
        onSave={(value) => change('the phone', { phone: value })}
        problemOf={(text) => (PHONE.test(text) ? null : 'Write + and the country code, such as +5215512345678.')}
      />
      <Editable
        label="External id"
        value={external_id}
        onSave={(value) => change('the external id', { external_id: value })}
      />
      <Editable
        label="Tags"
        value={tags.join(', ') || null}
        onSave={(text) => change('the tags', { tags: listOf(text) })}
        problemOf={(text) => (listOf(text).length > MAX_TAGS ? `A customer has at most ${MAX_TAGS} tags.` : null)}
      />
      <CustomFields
        owner="customer"
        values={custom_fields}
        definitions={definitions}
        onChange={(values, field) => change(`the field ${field}`, { custom_fields: values })}
      />
      <Row label="Since">
        <Moment at={created_at} />
      </Row>
    </Part>
  )
}

function listOf(text: string | null) {
  const parts = (text ?? '').split(',').map((part) => part.trim())
  return [...new Set(parts.filter(Boolean))]
}

export function ContactsPart({ project, contacts }: { project: Project; contacts: Reading }) {
  const list = contacts.data.value ?? []
  const fault = contacts.fault.value
  return (
    <Part title="Contacts" count={list.length}>
      {fault && <p class="faint">{errorText(fault)}</p>}
      {contacts.data.value?.length === 0 && <p class="faint">Link a contact from its own page.</p>}
      <ul class="panel-list">
        {list.map(({ _id, name, phone, user_id, channel_type }: AnyRecord) => (
          <li key={_id}>
            <p>
              <ChannelMark type={channel_type} />{' '}
              <a href={peoplePlace(project.id, 'contact', _id)}>{personName({ name, phone, user_id })}</a>
            </p>
            <p class="faint">{phone ?? user_id}</p>
          </li>
        ))}
      </ul>
    </Part>
  )
}

export function LoyaltyPart({ memberships }: { memberships: Reading }) {
  const list = memberships.data.value ?? []
  if (list.length === 0) return null
  return (
    <Part title="Loyalty" count={list.length}>
      {list.map(({ _id, program, balance_points, stamps_count, tier, status, expires_at }: AnyRecord) => {
        const balance = program.type === 'stamps' ? `${stamps_count} stamps` : `${balance_points} points`
        return (
          <Row label={program.name} key={_id}>
            <span class="panel-text">
              {[balance, tier, status === 'active' ? '' : status].filter(Boolean).join(' · ')}
              {expires_at && (
                <span class="faint">
                  {' '}
                  until <Moment at={expires_at} />
                </span>
              )}
            </span>
          </Row>
        )
      })}
    </Part>
  )
}
