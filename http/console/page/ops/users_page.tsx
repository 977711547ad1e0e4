/** The users of all companies. */

import { useState } from 'preact/hooks'
import type { Api } from '../data/api.ts'
import type { Place } from '../data/place.ts'
import { Moment } from '../ui/format/moment.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { AGENT, InviteDialog } from './invite_dialog.tsx'
import { Cell, Chip, Listing } from './listing.tsx'
import { type Pages, usePages } from './pages.ts'
import { opsPlace } from './places.ts'
import type { OpsUser } from './records.ts'
import { OPERATOR, UserDialog } from './user_dialog.tsx'

export function UsersPage({ api, place: { query } }: { api: Api; place: Place }) {
  const { search, company_id } = query
  const is_operator = query.is_operator === 'true' ? 'true' : undefined
  const pages: Pages<OpsUser> = usePages(api, 'ops/users', { search, company_id, is_operator })
  const [open, setOpen] = useState<OpsUser | 'new' | null>(null)
  const [invited, setInvited] = useState<OpsUser | null>(null)
  const tabs = [
    { text: 'All', href: opsPlace('users', { search, company_id }), is_current: !is_operator },
    {
      text: 'Operators',
      href: opsPlace('users', { search, company_id, is_operator: 'true' }),
      is_current: Boolean(is_operator),
    },
  ]
  const find = (event: SubmitEvent) => {
    event.preventDefault()
    const text = new FormData(event.currentTarget as HTMLFormElement).get('search')
    location.hash = opsPlace('users', { search: String(text ?? '').trim(), company_id, is_operator })
  }
  return (
    <>
      <div class="ops-filters">
        <Tabs label="Users" tabs={tabs} />
        <form class="search" role="search" onSubmit={find}>
          <Icon name="search" />
          <input
            name="search"
            type="search"
            maxlength={200}
            aria-label="Beginning of an address or name"
            placeholder="Beginning of address or name"
            value={search ?? ''}
          />
        </form>
        {company_id && (
          <Chip
            text={`Company ${pages.rows.value?.[0]?.company.name ?? company_id}`}
            href={opsPlace('users', { search, is_operator })}
          />
        )}
        <button type="button" class="button primary ops-end" onClick={() => setOpen('new')}>
          <Icon name="plus" /> New user
        </button>
      </div>
      <Listing
        label="Users"
        pages={pages}
        columns={['User', 'Company', 'State', 'Permissions', 'Created', '']}
        row={(user) => (
          <Row user={user} onOpen={() => setOpen(user)} onInvite={() => setInvited(user)} key={user._id} />
        )}
        empty={{
          title: search ? `No user begins with “${search}”` : 'No users',
          text: search && 'The search looks for the beginning of an e-mail address or of a name.',
        }}
      />
      {invited && <InviteDialog api={api} user={invited} onClose={() => setInvited(null)} />}
      {open && (
        <UserDialog
          api={api}
          user={open === 'new' ? null : open}
          onClose={() => setOpen(null)}
          onDone={() => pages.read()}
        />
      )}
    </>
  )
}

function Row({ user, onOpen, onInvite }: { user: OpsUser; onOpen(): void; onInvite(): void }) {
  const { full_name, email, company, permissions, is_active, has_password, created_at } = user
  const may_invite = is_active && !has_password && permissions.includes(AGENT) && !permissions.includes(OPERATOR)
  return (
    <tr>
      <Cell class="ops-first">
        <div class="ops-two">
          <b>{full_name}</b>
          <span class="faint ops-break">{email}</span>
        </div>
      </Cell>
      <Cell name="Company">
        <a class="ops-plain" href={opsPlace('users', { company_id: company._id })}>
          {company.name}
        </a>
      </Cell>
      <Cell name="State">
        <div class="ops-two">
          <span>
            <span class={`badge ${is_active ? 'completed' : ''}`}>{is_active ? 'Active' : 'Deactivated'}</span>
          </span>
          {!has_password && <span class="faint">no password</span>}
        </div>
      </Cell>
      <Cell name="Permissions">
        <span class="ops-permissions">
          {permissions.length === 0 && <span class="faint">none</span>}
          {permissions.map((one) => (
            <code class={one === OPERATOR ? 'ops-tag strong' : 'ops-tag'} key={one}>
              {one}
            </code>
          ))}
        </span>
      </Cell>
      <Cell name="Created">
        <Moment at={created_at} />
      </Cell>
      <Cell class="ops-acts">
        {may_invite && (
          <button type="button" class="button" aria-label={`Invite ${full_name}`} onClick={onInvite}>
            Invite…
          </button>
        )}{' '}
        <button type="button" class="button" aria-label={`Change ${full_name}`} onClick={onOpen}>
          Change…
        </button>
      </Cell>
    </tr>
  )
}
