/** The form of a new contact or customer. */

import type { TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import { CHANNEL_TYPES, nameOfChannel } from '../crm/channels.ts'
import { errorText } from '../data/errors.ts'
import type { Project } from '../data/project.ts'
import type { AnyRecord } from '../records/record.ts'
import { Field, SelectField } from '../ui/forms/field.tsx'
import { FormActions } from '../ui/forms/form_end.tsx'
import { useAction } from '../ui/hooks.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { type Kind, peoplePlace } from './places.ts'

/** Channels whose ids are the digits of a phone number. */
const BY_PHONE = ['whatsapp', 'whatsapp_qr']

export function NewPerson({ project, kind, onClose }: { project: Project; kind: Kind; onClose(): void }) {
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
  const input = (name: 'user_id' | 'name' | 'phone' | 'email') => ({
    value: fields[name],
    onInput: ({ currentTarget }: TargetedEvent<HTMLInputElement>) =>
      setFields({ ...fields, [name]: currentTarget.value }),
  })
  const submitted = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  const known = ((fault as AnyRecord)?.details as { contact_id?: string } | undefined)?.contact_id
  return (
    <Dialog title={`New ${kind}`} onClose={onClose} has_close>
      <form class="people-form" onSubmit={submitted}>
        {is_contact && (
          <SelectField
            label="Channel"
            value={fields.channel_type}
            options={types.map((value) => ({ value, text: nameOfChannel(value) }))}
            onChange={(channel_type) => setFields({ ...fields, channel_type })}
          />
        )}
        <Field label={is_contact ? 'Name' : 'Full name'}>
          {(attributes) => (
            <input
              {...attributes}
              type="text"
              maxlength={150}
              required={!is_contact}
              autocomplete="off"
              {...input('name')}
            />
          )}
        </Field>
        {is_contact && !is_by_phone ? (
          <Field label="Id on the channel" hint="As the channel names the person, such as an e-mail address">
            {(attributes) => (
              <input {...attributes} type="text" maxlength={256} required autocomplete="off" {...input('user_id')} />
            )}
          </Field>
        ) : (
          <Field label="Phone" hint="With the country code, such as +52 155 1234 5678">
            {(attributes) => (
              <input
                {...attributes}
                type="tel"
                maxlength={30}
                required={is_contact}
                autocomplete="off"
                {...input('phone')}
              />
            )}
          </Field>
        )}
        {!is_contact && (
          <Field label="E-mail">
            {(attributes) => (
              <input {...attributes} type="email" maxlength={254} autocomplete="off" {...input('email')} />
            )}
          </Field>
        )}
        <div role="alert">
          {fault && (
            <p class="note bad">
              <Icon name="alert" />
              <span>
                {errorText(fault)}{' '}
                {known && (
                  <a href={peoplePlace(project.id, 'contact', known)} onClick={onClose}>
                    Open the contact
                  </a>
                )}
              </span>
            </p>
          )}
        </div>
        <FormActions onClose={onClose} is_busy={is_busy}>
          Create
        </FormActions>
      </form>
    </Dialog>
  )
}

/** @returns the id */
async function makeContact(
  { api, records }: Project,
  { channel_type, user_id, name, phone }: Record<'channel_type' | 'user_id' | 'name' | 'phone', string>,
  is_by_phone: boolean,
): Promise<string> {
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

/** @returns the id */
async function makeCustomer(
  { api, records }: Project,
  { name, phone, email }: Record<'name' | 'phone' | 'email', string>,
): Promise<string> {
  const digits = phone.replace(/\D/g, '')
  const customer = await api.post('crm/customers', {
    full_name: name.trim(),
    ...(email.trim() && { email: email.trim() }),
    ...(digits && { phone: `+${digits}` }),
  })
  records.keep('customer', customer)
  return customer._id
}
