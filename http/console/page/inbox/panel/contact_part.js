/** The contact and its customer in the panel. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { addressOf } from '../../app/places.js'
import { errorText } from '../../data/errors.js'
import { Copyable } from '../../ui/copyable.js'
import { useElement } from '../../ui/hooks.js'
import { Icon } from '../../ui/icons.js'
import { Moment } from '../../ui/moment.js'
import { toastFault } from '../../ui/toast.js'
import { BrowserRows } from './browser_rows.js'
import { CustomFields } from './custom_fields.js'
import { Editable, Part, Row } from './fields.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../../../page_types/definitions.ts').Definitions} Definitions */
/** @typedef {import('../../data/project.js').Project} Project */

const PHONE = /^\+[1-9]\d{6,14}$/
const FOUND = 6

/** @typedef {import('../../data/record_changes.js').RecordChanges} RecordChanges */

/**
 * @param {{ changes: RecordChanges, contact: AnyRecord, definitions: Definitions | undefined }} props
 */
export function ContactPart({ changes, contact, definitions }) {
  /** @param {string} what @param {AnyRecord} fields */
  const change = (what, fields) =>
    changes.change(what, fields).catch((fault) => toastFault(`Parley did not change ${what}`, fault))
  const { name, phone, user_id, browser, consent, custom_fields, first_seen_at } = contact
  return html`<${Part} title="Contact">
    <${Editable} label="Name" value=${name} onSave=${(/** @type {string | null} */ value) => change('the name', { name: value })} />
    <${Editable}
      label="Phone"
      value=${phone}
      type="tel"
      onSave=${(/** @type {string | null} */ value) => change('the phone', { phone: value })}
      problemOf=${(/** @type {string} */ text) => (PHONE.test(text) ? null : 'Write + and the country code, such as +5215512345678.')}
    />
    <${Row} label="Id"><${Copyable} text=${user_id} label="the id"><code class="panel-id">${user_id}</code><//><//>
    <${Row} label="First seen"><${Moment} at=${first_seen_at} /><//>
    ${consent && consent.marketing !== 'unknown' && html`<${Row} label="Marketing"><${Wish} consent=${consent} /><//>`}
    ${browser && html`<${BrowserRows} browser=${browser} />`}
    <${CustomFields}
      owner="contact"
      values=${custom_fields}
      definitions=${definitions}
      onChange=${(/** @type {Record<string, unknown>} */ values, /** @type {string} */ field) =>
        change(`the field ${field}`, { custom_fields: values })}
    />
  <//>`
}

/**
 * @param {{ consent: import('../../../page_types/project_records.ts').Contact['consent'] }} props
 */
function Wish({ consent: { marketing, changed_at } }) {
  const text = marketing === 'stopped' ? 'Stopped' : 'Allowed'
  return html`<span class="panel-text">${text} ${changed_at && html`<${Moment} at=${changed_at} />`}</span>`
}

/**
 * @param {{
 *   project: Project
 *   changes: RecordChanges
 *   contact: AnyRecord
 *   details: Pick<import('./details.js').Details, 'customer' | 'memberships'>
 * }} props
 */
export function CustomerPart({ project, changes, contact, details }) {
  const { customer_id } = contact
  const customer = details.customer.data.value
  const memberships = details.memberships.data.value ?? []
  /** @param {string | null} id */
  const link = (id) =>
    changes
      .change('the customer', { customer_id: id })
      .catch((fault) => toastFault('Parley did not change the customer', fault))
  if (customer_id === null) {
    return html`<${Part} title="Customer"><${LinkCustomer} project=${project} contact=${contact} onLink=${link} /><//>`
  }
  const fault = details.customer.fault.value
  if (!customer) {
    return html`<${Part} title="Customer">
      ${fault ? html`<p class="faint">${errorText(fault)}</p>` : html`<p class="faint" role="status">Loading…</p>`}
    <//>`
  }
  const { full_name, email, phone, tags, chat_users } = customer
  return html`<${Part} title="Customer">
    <${Row} label="Name"><a class="panel-text" href=${addressOf(project.id, 'contacts', ['customers', customer_id])}>${full_name}</a><//>
    ${email && html`<${Row} label="E-mail"><a class="panel-text" href="mailto:${email}">${email}</a><//>`}
    ${phone && html`<${Row} label="Phone"><span class="panel-text">${phone}</span><//>`}
    ${tags.length > 0 && html`<${Row} label="Tags"><span class="panel-text">${tags.join(', ')}</span><//>`}
    ${chat_users.length > 1 && html`<${Row} label="Contacts"><span class="panel-text">${chat_users.length}</span><//>`}
    ${memberships.map((/** @type {AnyRecord} */ one) => html`<${Membership} membership=${one} key=${one._id} />`)}
    <button type="button" class="quiet panel-more" onClick=${() => link(null)}>Unlink this customer</button>
  <//>`
}

/**
 * @param {{ membership: AnyRecord }} props
 */
function Membership({ membership: { program, balance_points, stamps_count, tier, status } }) {
  const balance = program.type === 'stamps' ? `${stamps_count} stamps` : `${balance_points} points`
  const label = [balance, tier, status === 'active' ? '' : status].filter(Boolean).join(' · ')
  return html`<${Row} label=${program.name}><span class="panel-text">${label}</span><//>`
}

/**
 * @param {{ project: Project, contact: AnyRecord, onLink(id: string): Promise<unknown> }} props
 */
function LinkCustomer({ project, contact, onLink }) {
  const [found, setFound] = useState(/** @type {AnyRecord[] | null} */ (null))
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
      toastFault('The customer was not created', /** @type {Error} */ (fault))
    }
    setBusy(false)
  }
  /** @type {import('preact').RefObject<HTMLInputElement>} */
  const field = useElement()
  /** @param {SubmitEvent} event */
  const searched = async (event) => {
    event.preventDefault()
    const search = field.current.value.trim()
    if (search === '') return setFound(null)
    try {
      setSought(search)
      setFound((await project.api.get('crm/customers', { search, limit: FOUND })).data)
    } catch (fault) {
      toastFault('Customers could not be searched', /** @type {Error} */ (fault))
    }
  }
  return html`<form class="panel-search" onSubmit=${searched}>
      <input class="panel-field" ref=${field} type="search" placeholder="Name or e-mail" aria-label="Search a customer" />
      <button type="submit" class="quiet icon-button" aria-label="Search"><${Icon} name="search" /></button>
    </form>
    <ul class="panel-found" aria-live="polite">
      ${
        found?.length === 0 &&
        html`<li>
          <span class="faint">No customer was found.</span>
          <button type="button" class="button" disabled=${is_busy} onClick=${create}>Create ${full_name}</button>
        </li>`
      }
      ${found?.map(
        ({ _id, full_name, email }) => html`<li key=${_id}>
          <span>${full_name} <span class="faint">${email}</span></span>
          <button type="button" class="button" onClick=${() => onLink(_id)}>Link</button>
        </li>`,
      )}
    </ul>`
}
