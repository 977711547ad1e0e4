/** The form of a contact card: one person, typed or taken from the contacts of the project. */
import { useState } from 'preact/hooks'
import { FormDialog, type FormProps } from './form_dialog.tsx'
import { problemOf, TextInput } from './inputs.tsx'

const NAME = 256
const PHONE = /^\+?[\d ()-]{5,32}$/
const MAX_FOUND = 5

export function ContactsForm(props: FormProps) {
  const [name, setName] = useState('')
  const [phone, setPhone] = useState('')
  const [email, setEmail] = useState('')
  const [company, setCompany] = useState('')
  const [query, setQuery] = useState('')
  const [found, setFound] = useState<{ id: string; chat_user_name: string | null }[]>([])
  const is_email = email.trim() === '' || /^[^\s@]+@[^\s@]+$/.test(email.trim())
  const is_phone = phone.trim() === '' || PHONE.test(phone.trim())
  const has_way = phone.trim() !== '' || email.trim() !== ''
  const contact = {
    name: { formatted_name: name.trim() },
    ...(phone.trim() && { phones: [{ phone: phone.trim(), type: 'CELL' }] }),
    ...(email.trim() && { emails: [{ email: email.trim(), type: 'WORK' }] }),
    ...(company.trim() && { org: { company: company.trim() } }),
  }
  const message = { type: 'contacts', contacts: [contact] }
  const is_complete = !problemOf(name, NAME) && has_way && is_email && is_phone && [...company].length <= NAME
  const search = async () => {
    if (query.trim().length < 2) return setFound([])
    const { data } = await props.project.api
      .get('crm/search', { search: query.trim(), kinds: 'contact', limit: MAX_FOUND })
      .catch(() => ({ data: [] }))
    setFound(data)
  }
  const take = async (id: string) => {
    const chosen = await props.project.api.get(`contacts/${id}`).catch(() => undefined)
    if (!chosen) return
    setName(chosen.name ?? '')
    setPhone(chosen.phone ?? '')
    setFound([])
    setQuery('')
  }
  return (
    <FormDialog {...props} title="Contact" message={message} is_complete={is_complete}>
      {(is_tried) => (
        <>
          <TextInput
            label="Take one from the contacts"
            type="search"
            value={query}
            placeholder="Name or phone"
            onChange={(text) => setQuery(text)}
          />
          <button type="button" class="link" onClick={search}>
            Search
          </button>
          {found.length > 0 && (
            <ul class="form-found" aria-label="Found contacts">
              {found.map(({ id, chat_user_name }) => (
                <li key={id}>
                  <button type="button" class="menu-item" onClick={() => take(id)}>
                    <span>{chat_user_name ?? id}</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
          <TextInput
            label="Name"
            value={name}
            onChange={setName}
            most={NAME}
            error={is_tried ? problemOf(name, NAME) : undefined}
          />
          <TextInput
            label="Phone"
            type="tel"
            value={phone}
            onChange={setPhone}
            placeholder="+15551234567"
            error={
              !is_phone
                ? 'Write + and the country code.'
                : is_tried && !has_way
                  ? 'Write a phone or an e-mail address.'
                  : undefined
            }
          />
          <TextInput
            label="E-mail"
            type="email"
            value={email}
            onChange={setEmail}
            error={is_email ? undefined : 'This is no e-mail address.'}
          />
          <TextInput label="Company" value={company} onChange={setCompany} most={NAME} />
        </>
      )}
    </FormDialog>
  )
}
