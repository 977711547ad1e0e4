/** Creates or changes a user. */

import { useEffect, useState } from 'preact/hooks'
import type { Api } from '../data/api.ts'
import { Field, Switch } from '../ui/forms/field.tsx'
import { useAction } from '../ui/hooks.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { toast } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import type { Named, OpsUser } from './records.ts'

export const OPERATOR = 'console.operator'

/** The permissions that there are. */
const PERMISSIONS: Record<string, string> = {
  'console.agent': 'Signs in to the console and works in all projects of the company',
  'developer.manage_webhooks': 'Creates and changes webhooks in the console',
  'developer.manage_tokens': 'May hold access tokens of the API',
}

const MIN_PASSWORD = 8

export function UserDialog({
  api,
  user,
  onClose,
  onDone,
}: {
  api: Api
  user: OpsUser | null
  onClose(): void
  onDone(): unknown
}) {
  const is_locked = user?.permissions.includes(OPERATOR) ?? false
  return (
    <Dialog title={user ? user.full_name : 'New user'} onClose={onClose} class="wide" has_close>
      {(close) =>
        is_locked ? (
          <Locked user={user as OpsUser} close={close} />
        ) : (
          <Form api={api} user={user} close={close} onDone={onDone} />
        )
      }
    </Dialog>
  )
}

function Locked({ user, close }: { user: OpsUser; close(): void }) {
  return (
    <>
      <p class="note">
        <Icon name="alert" /> {user.full_name} is an operator, who sees the whole installation. Such users are created
        and changed with an operator key only:
      </p>
      <pre class="ops-pre" tabindex={0} aria-label="Command">
        PATCH /admin/v1/users/{user._id}
      </pre>
      <div class="actions">
        <button type="button" class="button" onClick={close}>
          Close
        </button>
      </div>
    </>
  )
}

function Form({ api, user, close, onDone }: { api: Api; user: OpsUser | null; close(): void; onDone(): unknown }) {
  const [company, setCompany] = useState<Named | null>(user?.company ?? null)
  const [full_name, setName] = useState(user?.full_name ?? '')
  const [email, setEmail] = useState(user?.email ?? '')
  const [password, setPassword] = useState('')
  const [is_active, setActive] = useState(user?.is_active ?? true)
  const [permissions, setPermissions] = useState(user?.permissions ?? ['console.agent'])
  const [is_tried, setTried] = useState(false)
  const known = [...new Set([...Object.keys(PERMISSIONS), ...(user?.permissions ?? [])])]
  const missing = {
    company: company ? null : 'Choose a company.',
    name: full_name.trim() ? null : 'Give the name.',
    email: email.trim() ? null : 'Give the e-mail address.',
    password: password && password.length < MIN_PASSWORD ? `Use at least ${MIN_PASSWORD} characters.` : null,
  }
  const { run, is_busy, fault } = useAction(async () => {
    const fields = {
      full_name: full_name.trim(),
      email: email.trim(),
      is_active,
      permissions,
      ...(password && { password }),
    }
    if (user) await api.request('PATCH', `ops/users/${user._id}`, { json: fields })
    else await api.request('POST', 'ops/users', { json: { company_id: company?._id, ...fields } })
    toast(user ? `${full_name} is changed` : `${full_name} is created`)
    close()
    await onDone()
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setTried(true)
    if (Object.values(missing).every((one) => one === null)) void run()
  }
  const visibleError = (error: string | null) => (is_tried ? error : null)
  const toggle = (one: string) =>
    setPermissions(permissions.includes(one) ? permissions.filter((other) => other !== one) : [...permissions, one])
  return (
    <form class="ops-form" onSubmit={submit} novalidate>
      {user ? (
        <p class="faint">{user.company.name}</p>
      ) : (
        <CompanyField api={api} chosen={company} onChoose={setCompany} error={visibleError(missing.company)} />
      )}
      <div class="ops-fields">
        <Field label="Name" error={visibleError(missing.name)}>
          {(attributes) => (
            <input
              {...attributes}
              value={full_name}
              maxlength={150}
              autocomplete="off"
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="E-mail" error={visibleError(missing.email)}>
          {(attributes) => (
            <input
              {...attributes}
              type="email"
              value={email}
              maxlength={254}
              autocomplete="off"
              onInput={({ currentTarget }) => setEmail(currentTarget.value)}
            />
          )}
        </Field>
      </div>
      <Field
        label={user ? 'New password' : 'Password'}
        error={visibleError(missing.password)}
        hint={
          user
            ? 'Leave it empty to keep the present one. A new password ends all sessions.'
            : 'Leave it empty and invite the user, who then sets one.'
        }
      >
        {(attributes) => (
          <span class="with-button">
            <input
              {...attributes}
              value={password}
              maxlength={200}
              autocomplete="new-password"
              spellcheck={false}
              onInput={({ currentTarget }) => setPassword(currentTarget.value)}
            />
            <button type="button" class="quiet" onClick={() => setPassword(madeUp())}>
              Make up
            </button>
          </span>
        )}
      </Field>
      <fieldset class="ops-choices">
        <legend>Permissions</legend>
        {known.map((one) => (
          <label key={one}>
            <input type="checkbox" checked={permissions.includes(one)} onChange={() => toggle(one)} />
            <span>
              <code>{one}</code> <span class="faint">{PERMISSIONS[one]}</span>
            </span>
          </label>
        ))}
        <p class="faint field-hint">
          <code>{OPERATOR}</code> is given with an operator key only.
        </p>
      </fieldset>
      <Switch
        label="Active"
        hint="Sessions and tokens of a deactivated user stop working at once."
        is_on={is_active}
        onChange={setActive}
      />
      {fault && (
        <p class="field-error" role="alert">
          <Icon name="alert" /> {fault.message}
        </p>
      )}
      <div class="actions">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="button primary" disabled={is_busy}>
          {is_busy ? 'Saving…' : user ? 'Save' : 'Create the user'}
        </button>
      </div>
    </form>
  )
}

/** A password to hand over: 96 random bits. */
function madeUp() {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}

const TYPING_MS = 200

function CompanyField({
  api,
  chosen,
  onChoose,
  error,
}: {
  api: Api
  chosen: Named | null
  onChoose: (company: Named | null) => void
  error: string | null
}) {
  const [typed, setTyped] = useState('')
  const [found, setFound] = useState<Named[]>([])
  useEffect(() => {
    let is_over = false
    const timer = setTimeout(async () => {
      const { data } = await api.request('GET', 'ops/tenants', { query: { search: typed } }).catch(() => ({ data: [] }))
      if (is_over) return
      setFound(data)
      if (data.length === 1 && typed === '') onChoose(data[0])
    }, TYPING_MS)
    return () => {
      is_over = true
      clearTimeout(timer)
    }
  }, [api, typed])
  return (
    <div class="ops-fields">
      <Field label="Find a company" hint="A part of its name, or of the name of a project.">
        {(attributes) => (
          <input
            {...attributes}
            type="search"
            value={typed}
            maxlength={200}
            autocomplete="off"
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Company" error={error}>
        {(attributes) => (
          <span class="select">
            <select
              {...attributes}
              value={chosen?._id ?? ''}
              onChange={({ currentTarget }) => onChoose(found.find(({ _id }) => _id === currentTarget.value) ?? null)}
            >
              <option value="">{found.length === 0 ? 'None found' : `Choose one of ${found.length}`}</option>
              {chosen && !found.some(({ _id }) => _id === chosen._id) && (
                <option value={chosen._id} key={chosen._id}>
                  {chosen.name}
                </option>
              )}
              {found.map(({ _id, name }) => (
                <option value={_id} key={_id}>
                  {name}
                </option>
              ))}
            </select>
            <Icon name="down" />
          </span>
        )}
      </Field>
    </div>
  )
}
