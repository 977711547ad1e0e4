/** The parts of a customer's page: its fields, its contacts, and its loyalty. */

import { html } from 'htm/preact'
import { errorText } from '../data/errors.js'
import { ChannelMark } from '../inbox/channel.js'
import { CustomFields } from '../inbox/panel/custom_fields.js'
import { Editable, Part, Row } from '../inbox/panel/fields.js'
import { personName } from '../ui/format.js'
import { Moment } from '../ui/moment.js'
import { toastFault } from '../ui/toast.js'
import { peoplePlace } from './places.js'

/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../inbox/panel/details.js').Reading} Reading */

const PHONE = /^\+[1-9]\d{6,14}$/
const EMAIL = /^[^\s@]+@[^\s@]+$/
const MAX_TAGS = 100

/**
 * @param {{
 *   changes: import('../data/record_changes.js').RecordChanges
 *   customer: AnyRecord
 *   definitions: import('../../page_types/definitions.ts').Definitions | undefined
 * }} props
 */
export function CustomerFields({ changes, customer, definitions }) {
  const { full_name, email, phone, tags, custom_fields, created_at } = customer
  /** @param {string} what @param {AnyRecord} fields */
  const change = (what, fields) =>
    changes.change(what, fields).catch((fault) => toastFault(`Parley did not change ${what}`, fault))
  return html`<${Part} title="Customer">
    <${Editable}
      label="Name"
      value=${full_name}
      onSave=${(/** @type {string | null} */ value) => value && change('the name', { full_name: value })}
    />
    <${Editable}
      label="E-mail"
      value=${email}
      type="email"
      onSave=${(/** @type {string | null} */ value) => change('the e-mail address', { email: value })}
      problemOf=${(/** @type {string} */ text) => (EMAIL.test(text) ? null : 'Write an address, such as ana@example.com.')}
    />
    <${Editable}
      label="Phone"
      value=${phone}
      type="tel"
      onSave=${(/** @type {string | null} */ value) => change('the phone', { phone: value })}
      problemOf=${(/** @type {string} */ text) => (PHONE.test(text) ? null : 'Write + and the country code, such as +5215512345678.')}
    />
    <${Editable}
      label="Tags"
      value=${tags.join(', ') || null}
      onSave=${(/** @type {string | null} */ text) => change('the tags', { tags: listOf(text) })}
      problemOf=${(/** @type {string} */ text) => (listOf(text).length > MAX_TAGS ? `A customer has at most ${MAX_TAGS} tags.` : null)}
    />
    <${CustomFields}
      owner="customer"
      values=${custom_fields}
      definitions=${definitions}
      onChange=${(/** @type {Record<string, unknown>} */ values, /** @type {string} */ field) =>
        change(`the field ${field}`, { custom_fields: values })}
    />
    <${Row} label="Since"><${Moment} at=${created_at} /><//>
  <//>`
}

/** @param {string | null} text */
function listOf(text) {
  const parts = (text ?? '').split(',').map((part) => part.trim())
  return [...new Set(parts.filter(Boolean))]
}

/**
 * @param {{ project: import('../data/project.js').Project, contacts: Reading }} props
 */
export function ContactsPart({ project, contacts }) {
  const list = contacts.data.value ?? []
  const fault = contacts.fault.value
  return html`<${Part} title="Contacts" count=${list.length}>
    ${fault && html`<p class="faint">${errorText(fault)}</p>`}
    ${contacts.data.value?.length === 0 && html`<p class="faint">Link a contact from its own page.</p>`}
    <ul class="panel-list">
      ${list.map(
        (/** @type {AnyRecord} */ { _id, name, phone, user_id, channel_type }) => html`<li key=${_id}>
          <p><${ChannelMark} type=${channel_type} /> <a href=${peoplePlace(project.id, 'contact', _id)}>${personName({ name, phone, user_id })}</a></p>
          <p class="faint">${phone ?? user_id}</p>
        </li>`,
      )}
    </ul>
  <//>`
}

/**
 * @param {{ memberships: Reading }} props
 */
export function LoyaltyPart({ memberships }) {
  const list = memberships.data.value ?? []
  if (list.length === 0) return null
  return html`<${Part} title="Loyalty" count=${list.length}>
    ${list.map((/** @type {AnyRecord} */ { _id, program, balance_points, stamps_count, tier, status, expires_at }) => {
      const balance = program.type === 'stamps' ? `${stamps_count} stamps` : `${balance_points} points`
      return html`<${Row} label=${program.name} key=${_id}>
        <span class="panel-text">
          ${[balance, tier, status === 'active' ? '' : status].filter(Boolean).join(' · ')}
          ${expires_at && html`<span class="faint"> until <${Moment} at=${expires_at} /></span>`}
        </span>
      <//>`
    })}
  <//>`
}
