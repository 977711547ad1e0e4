/** The users of all companies. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Icon } from '../ui/icons.js'
import { Moment } from '../ui/moment.js'
import { Tabs } from '../ui/tabs.js'
import { AGENT, InviteDialog } from './invite_dialog.js'
import { Cell, Chip, Listing } from './listing.js'
import { usePages } from './pages.js'
import { opsPlace } from './places.js'
import { OPERATOR, UserDialog } from './user_dialog.js'

/** @typedef {import('../../page_types/ops.ts').OpsUser} OpsUser */

/**
 * @param {{ api: import('../data/api.js').Api, place: import('../../page_types/place.ts').Place }} props
 */
export function UsersPage({ api, place: { query } }) {
  const { search, company_id } = query
  const is_operator = query.is_operator === 'true' ? 'true' : undefined
  /** @type {import('./pages.js').Pages<OpsUser>} */
  const pages = usePages(api, 'ops/users', { search, company_id, is_operator })
  const [open, setOpen] = useState(/** @type {OpsUser | 'new' | null} */ (null))
  const [invited, setInvited] = useState(/** @type {OpsUser | null} */ (null))
  const tabs = [
    { text: 'All', href: opsPlace('users', { search, company_id }), is_current: !is_operator },
    {
      text: 'Operators',
      href: opsPlace('users', { search, company_id, is_operator: 'true' }),
      is_current: Boolean(is_operator),
    },
  ]
  /** @param {SubmitEvent} event */
  const find = (event) => {
    event.preventDefault()
    const wanted = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get('search')
    location.hash = opsPlace('users', { search: String(wanted ?? '').trim(), company_id, is_operator })
  }
  return html`
    <div class="ops-filters">
      <${Tabs} label="Users" tabs=${tabs} />
      <form class="search" role="search" onSubmit=${find}>
        <${Icon} name="search" />
        <input name="search" type="search" maxlength="200" aria-label="Beginning of an address or name" placeholder="Beginning of address or name" value=${search ?? ''} />
      </form>
      ${company_id && html`<${Chip} text="Company ${pages.rows.value?.[0]?.company.name ?? company_id}" href=${opsPlace('users', { search, is_operator })} />`}
      <button type="button" class="button primary ops-end" onClick=${() => setOpen('new')}><${Icon} name="plus" /> New user</button>
    </div>
    <${Listing}
      label="Users"
      pages=${pages}
      columns=${['User', 'Company', 'State', 'Permissions', 'Created', '']}
      row=${(/** @type {OpsUser} */ user) => html`<${Row} user=${user} onOpen=${() => setOpen(user)} onInvite=${() => setInvited(user)} key=${user._id} />`}
      empty=${{ title: search ? `No user begins with “${search}”` : 'No users', text: search && 'The search looks for the beginning of an e-mail address or of a name.' }}
    />
    ${invited && html`<${InviteDialog} api=${api} user=${invited} onClose=${() => setInvited(null)} />`}
    ${open && html`<${UserDialog} api=${api} user=${open === 'new' ? null : open} onClose=${() => setOpen(null)} onDone=${() => pages.read()} />`}
  `
}

/**
 * @param {{ user: OpsUser, onOpen(): void, onInvite(): void }} props
 */
function Row({ user, onOpen, onInvite }) {
  const { full_name, email, company, permissions, is_active, has_password, created_at } = user
  const may_invite = is_active && !has_password && permissions.includes(AGENT) && !permissions.includes(OPERATOR)
  return html`<tr>
    <${Cell} class="ops-first"><div class="ops-two"><b>${full_name}</b><span class="faint ops-break">${email}</span></div><//>
    <${Cell} name="Company"><a class="ops-plain" href=${opsPlace('users', { company_id: company._id })}>${company.name}</a><//>
    <${Cell} name="State">
      <div class="ops-two">
        <span><span class="badge ${is_active ? 'completed' : ''}">${is_active ? 'Active' : 'Deactivated'}</span></span>
        ${!has_password && html`<span class="faint">no password</span>`}
      </div>
    <//>
    <${Cell} name="Permissions">
      <span class="ops-permissions">
        ${permissions.length === 0 && html`<span class="faint">none</span>`}
        ${permissions.map((one) => html`<code class=${one === OPERATOR ? 'ops-tag strong' : 'ops-tag'} key=${one}>${one}</code>`)}
      </span>
    <//>
    <${Cell} name="Created"><${Moment} at=${created_at} /><//>
    <${Cell} class="ops-acts">${may_invite && html`<button type="button" class="button" aria-label="Invite ${full_name}" onClick=${onInvite}>Invite…</button>`} <button type="button" class="button" aria-label="Change ${full_name}" onClick=${onOpen}>Change…</button><//>
  </tr>`
}
