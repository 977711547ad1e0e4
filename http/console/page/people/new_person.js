/** The form of a new contact or customer. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { errorText } from '../data/errors.js'
import { CHANNEL_TYPES, nameOfChannel } from '../inbox/channel.js'
import { Dialog } from '../ui/dialog.js'
import { Field, SelectField } from '../ui/field.js'
import { useAction } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { peoplePlace } from './places.js'

/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */

/** Channels whose ids are the digits of a phone number. */
const BY_PHONE = ['whatsapp', 'whatsapp_qr']

/**
 * @param {{ project: import('../data/project.js').Project, kind: import('./places.js').Kind, onClose(): void }} props
 */
export function NewPerson({ project, kind, onClose }) {
  const is_contact = kind === 'contact'
  const used = new Set(project.definitions.value?.channels.map(({ channel_type }) => channel_type))
  const types = CHANNEL_TYPES.filter((type) => used.has(type))
  const [fields, setFields] = useState({
    channel_type: types[0] ?? 'whatsapp',
    user_id: '',
    name: '',
    phone: '',
    email: '',
  })
  const is_by_phone = BY_PHONE.includes(fields.channel_type)
  const { run, is_busy, fault } = useAction(async () => {
    const id = is_contact ? await makeContact(project, fields, is_by_phone) : await makeCustomer(project, fields)
    onClose()
    location.hash = peoplePlace(project.id, kind, id)
  })
  /** @param {'user_id' | 'name' | 'phone' | 'email'} name */
  const input = (name) => ({
    value: fields[name],
    onInput: (/** @type {{ target: HTMLInputElement }} */ { target }) => setFields({ ...fields, [name]: target.value }),
  })
  /** @param {SubmitEvent} event */
  const submitted = (event) => {
    event.preventDefault()
    void run()
  }
  const known = /** @type {{ contact_id?: string } | undefined} */ (/** @type {AnyRecord} */ (fault)?.details)
    ?.contact_id
  return html`<${Dialog} title="New ${kind}" onClose=${onClose} has_close>
    <form class="people-form" onSubmit=${submitted}>
      ${
        is_contact &&
        html`<${SelectField}
          label="Channel"
          value=${fields.channel_type}
          options=${types.map((value) => ({ value, text: nameOfChannel(value) }))}
          onChange=${(/** @type {string} */ channel_type) => setFields({ ...fields, channel_type })}
        />`
      }
      <${Field} label=${is_contact ? 'Name' : 'Full name'}>
        ${(/** @type {object} */ attributes) => html`<input ...${attributes} type="text" maxlength="150" required=${!is_contact} autocomplete="off" ...${input('name')} />`}
      <//>
      ${
        is_contact && !is_by_phone
          ? html`<${Field} label="Id on the channel" hint="As the channel names the person, such as an e-mail address">
              ${(/** @type {object} */ attributes) => html`<input ...${attributes} type="text" maxlength="256" required autocomplete="off" ...${input('user_id')} />`}
            <//>`
          : html`<${Field} label="Phone" hint="With the country code, such as +52 155 1234 5678">
              ${(/** @type {object} */ attributes) => html`<input ...${attributes} type="tel" maxlength="30" required=${is_contact} autocomplete="off" ...${input('phone')} />`}
            <//>`
      }
      ${
        !is_contact &&
        html`<${Field} label="E-mail">
          ${(/** @type {object} */ attributes) => html`<input ...${attributes} type="email" maxlength="254" autocomplete="off" ...${input('email')} />`}
        <//>`
      }
      <div role="alert">
        ${
          fault &&
          html`<p class="note bad"><${Icon} name="alert" />
            <span>${errorText(fault)} ${known && html`<a href=${peoplePlace(project.id, 'contact', known)} onClick=${onClose}>Open the contact</a>`}</span>
          </p>`
        }
      </div>
      <div class="actions">
        <button type="button" class="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="button primary" aria-busy=${String(is_busy)}>Create</button>
      </div>
    </form>
  <//>`
}

/**
 * @param {import('../data/project.js').Project} project
 * @param {Record<'channel_type' | 'user_id' | 'name' | 'phone', string>} fields
 * @param {boolean} is_by_phone
 * @returns {Promise<string>} the id
 */
async function makeContact({ api, records }, { channel_type, user_id, name, phone }, is_by_phone) {
  const digits = phone.replace(/\D/g, '')
  const contact = await api.post('contacts', {
    channel_type,
    user_id: is_by_phone ? digits : user_id.trim(),
    ...(name.trim() && { name: name.trim() }),
    ...(is_by_phone && { phone: `+${digits}` }),
  })
  records.keep('contact', contact)
  return contact._id
}

/**
 * @param {import('../data/project.js').Project} project
 * @param {Record<'name' | 'phone' | 'email', string>} fields
 * @returns {Promise<string>} the id
 */
async function makeCustomer({ api, records }, { name, phone, email }) {
  const digits = phone.replace(/\D/g, '')
  const customer = await api.post('crm/customers', {
    full_name: name.trim(),
    ...(email.trim() && { email: email.trim() }),
    ...(digits && { phone: `+${digits}` }),
  })
  records.keep('customer', customer)
  return customer._id
}
