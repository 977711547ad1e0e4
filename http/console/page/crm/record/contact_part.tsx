/** The contact and its customer in the panel. */

import { useState } from 'preact/hooks'
import { errorText } from '../../data/errors.ts'
import { addressOf } from '../../data/places.ts'
import type { Project } from '../../data/project.ts'
import type { RecordChanges } from '../../data/record_changes.ts'
import type { Definitions } from '../../records/definitions.ts'
import type { Contact } from '../../records/project_records.ts'
import type { AnyRecord } from '../../records/record.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Moment } from '../../ui/format/moment.tsx'
import { useElement } from '../../ui/hooks.ts'
import { toastFault } from '../../ui/overlays/toast.ts'
import { BrowserRows } from './browser_rows.tsx'
import { CustomFields } from './custom_fields.tsx'
import type { Details } from './details.ts'
import { Editable, Part, Row } from './fields.tsx'
import { SearchForm } from './search_form.tsx'

const PHONE = /^\+[1-9]\d{6,14}$/
const FOUND = 6

export function ContactPart({
  changes,
  contact,
  definitions,
}: {
  changes: RecordChanges
  contact: AnyRecord
  definitions: Definitions | undefined
}) {
  const change = (what: string, fields: AnyRecord) =>
    changes.change(what, fields).catch((fault) => toastFault(`Parley did not change ${what}`, fault))
  const { name, phone, user_id, email, browser, consent, custom_fields, first_seen_at } = contact
  return (
    <Part title="Contact">
      <Editable label="Name" value={name} onSave={(value) => change('the name', { name: value })} />
      <Editable
        label="Phone"
        value={phone}
        type="tel"
        onSave={(value) => change('the phone', { phone: value })}
        problemOf={(text) => (PHONE.test(text) ? null : 'Write + and the country code, such as +5215512345678.')}
      />
      {email && (
        <Row label="E-mail left">
          <a class="panel-text" href={`mailto:${email}`}>
            {email}
          </a>
        </Row>
      )}
      <Row label="Id">
        <Copyable text={user_id} label="the id">
          <code class="panel-id">{user_id}</code>
        </Copyable>
      </Row>
      <Row label="First seen">
        <Moment at={first_seen_at} />
      </Row>
      {consent && consent.marketing !== 'unknown' && (
        <Row label="Marketing">
          <Wish consent={consent} />
        </Row>
      )}
      {browser && <BrowserRows browser={browser} />}
      <CustomFields
        owner="contact"
        values={custom_fields}
        definitions={definitions}
        onChange={(values, field) => change(`the field ${field}`, { custom_fields: values })}
      />
    </Part>
  )
}

function Wish({ consent: { marketing, changed_at } }: { consent: Contact['consent'] }) {
  const text = marketing === 'stopped' ? 'Stopped' : 'Allowed'
  return (
    <span class="panel-text">
      {text} {changed_at && <Moment at={changed_at} />}
    </span>
  )
}

export function CustomerPart({
  project,
  changes,
  contact,
  details,
}: {
  project: Project
  changes: RecordChanges
  contact: AnyRecord
  details: Pick<Details, 'customer' | 'memberships'>
}) {
  const { customer_id } = contact
  const customer = details.customer.data.value
  const memberships = details.memberships.data.value ?? []
  const link = (id: string | null) =>
    changes
      .change('the customer', { customer_id: id })
      .catch((fault) => toastFault('Parley did not change the customer', fault))
  if (customer_id === null) {
    return (
      <Part title="Customer">
        <LinkCustomer project={project} contact={contact} onLink={link} />
      </Part>
    )
  }
  const fault = details.customer.fault.value
  if (!customer) {
    return (
      <Part title="Customer">
        {fault ? (
          <p class="faint">{errorText(fault)}</p>
        ) : (
          <p class="faint" role="status">
            Loading…
          </p>
        )}
      </Part>
    )
  }
  const { full_name, email, phone, tags, chat_users } = customer
  return (
    <Part title="Customer">
      <Row label="Name">
        <a class="panel-text" href={addressOf(project.id, 'contacts', ['customers', customer_id])}>
          {full_name}
        </a>
      </Row>
      {email && (
        <Row label="E-mail">
          <a class="panel-text" href={`mailto:${email}`}>
            {email}
          </a>
        </Row>
      )}
      {phone && (
        <Row label="Phone">
          <span class="panel-text">{phone}</span>
        </Row>
      )}
      {tags.length > 0 && (
        <Row label="Tags">
          <span class="panel-text">{tags.join(', ')}</span>
        </Row>
      )}
      {chat_users.length > 1 && (
        <Row label="Contacts">
          <span class="panel-text">{chat_users.length}</span>
        </Row>
      )}
      {memberships.map((one: AnyRecord) => (
        <Membership membership={one} key={one._id} />
      ))}
      <button type="button" class="quiet panel-more" onClick={() => link(null)}>
        Unlink this customer
      </button>
    </Part>
  )
}

function Membership({
  membership: { program, balance_points, stamps_count, tier, status },
}: {
  membership: AnyRecord
}) {
  const balance = program.type === 'stamps' ? `${stamps_count} stamps` : `${balance_points} points`
  const label = [balance, tier, status === 'active' ? '' : status].filter(Boolean).join(' · ')
  return (
    <Row label={program.name}>
      <span class="panel-text">{label}</span>
    </Row>
  )
}

function LinkCustomer({
  project,
  contact,
  onLink,
}: {
  project: Project
  contact: AnyRecord
  onLink(id: string): Promise<unknown>
}) {
  const [found, setFound] = useState<AnyRecord[] | null>(null)
  const [sought, setSought] = useState('')
  const [is_busy, setBusy] = useState(false)
  const is_email = sought.includes('@')
  const full_name = is_email ? (contact.name ?? sought) : sought
  const create = async () => {
    setBusy(true)
    try {
      const { phone } = contact
      const fields = { full_name, ...(is_email && { email: sought }), ...(phone && { phone }) }
      await onLink((await project.api.post('crm/customers', fields))._id)
    } catch (fault) {
      toastFault('The customer was not created', fault as Error)
    }
    setBusy(false)
  }
  const field = useElement<HTMLInputElement>()
  const search = async (search: string) => {
    if (search === '') return setFound(null)
    setSought(search)
    setFound((await project.api.get('crm/customers', { search, limit: FOUND })).data)
  }
  return (
    <>
      <SearchForm
        field={field}
        placeholder="Name or e-mail"
        label="Search a customer"
        fault="Customers could not be searched"
        onSearch={search}
      />
      <ul class="panel-found" aria-live="polite">
        {found?.length === 0 && (
          <li>
            <span class="faint">No customer was found.</span>
            <button type="button" class="button" disabled={is_busy} onClick={create}>
              Create {full_name}
            </button>
          </li>
        )}
        {found?.map(({ _id, full_name, email }) => (
          <li key={_id}>
            <span>
              {full_name} <span class="faint">{email}</span>
            </span>
            <button type="button" class="button" onClick={() => onLink(_id)}>
              Link
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
