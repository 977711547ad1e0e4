/** The tokens of all projects: who has them, when they end, and a way to end them now. */

import { useState } from 'preact/hooks'
import type { Api } from '../data/api.ts'
import type { Place } from '../data/place.ts'
import { timeUntil } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { toast } from '../ui/overlays/toast.ts'
import { Tabs } from '../ui/tabs.tsx'
import { Cell, Chip, Listing, Owner, Question } from './listing.tsx'
import { type Pages, usePages } from './pages.ts'
import { opsPlace } from './places.ts'
import type { OpsToken } from './records.ts'

const STATES: Record<string, string> = {
  active: 'Active',
  expiring: 'Expire within 30 days',
  expired: 'Expired',
  revoked: 'Revoked',
}

const SOON_MS = 7 * 86_400_000

export function TokensPage({ api, place: { query } }: { api: Api; place: Place }) {
  const state = query.state && STATES[query.state] ? query.state : 'active'
  const { project_id, user_id } = query
  const pages: Pages<OpsToken> = usePages(api, 'ops/tokens', { state, project_id, user_id })
  const [revoked, setRevoked] = useState<OpsToken | null>(null)
  const first = pages.rows.value?.[0]
  const tabs = Object.entries(STATES).map(([name, text]) => {
    const href = opsPlace('tokens', { state: name === 'active' ? undefined : name, project_id, user_id })
    return { text, href, is_current: name === state }
  })
  const revoke = async () => {
    if (!revoked) return
    await api.request('DELETE', `ops/tokens/${revoked._id}`)
    pages.put(({ _id }) => _id === revoked._id)
    toast(`“${revoked.name}” is revoked`)
  }
  return (
    <>
      <div class="ops-filters">
        <Tabs label="State" tabs={tabs} />
        {project_id && (
          <Chip text={`Project ${first?.project.name ?? project_id}`} href={opsPlace('tokens', { state, user_id })} />
        )}
        {user_id && (
          <Chip text={`User ${first?.user.full_name ?? user_id}`} href={opsPlace('tokens', { state, project_id })} />
        )}
      </div>
      <Listing
        label="Tokens"
        pages={pages}
        columns={['Token', 'Project', 'User', 'Scopes', 'Last used', state === 'revoked' ? 'Revoked' : 'Expires', '']}
        row={(token) => <Row token={token} query={query} onRevoke={() => setRevoked(token)} key={token._id} />}
        empty={{
          title: state === 'active' ? 'No tokens' : `No token is ${state === 'expiring' ? 'about to expire' : state}`,
          icon: 'done',
        }}
      />
      {revoked && (
        <Question title="Revoke this token?" act_text="Revoke the token" act={revoke} onClose={() => setRevoked(null)}>
          <p>
            “{revoked.name}” (<code>{revoked.prefix}…</code>) of {revoked.user.full_name} in {revoked.project.name}.
            Programs that use it are refused from the next request on. This cannot be taken back.
          </p>
        </Question>
      )}
    </>
  )
}

function Row({ token, query, onRevoke }: { token: OpsToken; query: Record<string, string>; onRevoke(): void }) {
  const { name, prefix, project, company, user, scopes, last_used_at, expires_at, revoked_at } = token
  const is_soon =
    expires_at !== null && Date.parse(expires_at) - Date.now() < SOON_MS && Date.parse(expires_at) > Date.now()
  return (
    <tr>
      <Cell class="ops-first">
        <div class="ops-two">
          <b>{name}</b>
          <code class="faint">{prefix}…</code>
        </div>
      </Cell>
      <Cell name="Project">
        <Owner project={project} company={company} href={opsPlace('tokens', { ...query, project_id: project._id })} />
      </Cell>
      <Cell name="User">
        <div class="ops-two">
          <a class="ops-plain" href={opsPlace('tokens', { ...query, user_id: user._id })}>
            {user.full_name}
          </a>
          {!user.is_active && <span class="ops-bad">deactivated</span>}
        </div>
      </Cell>
      <Cell name="Scopes">
        <span class="ops-scopes" title={scopes.join(', ')}>
          {scopes.length > 2
            ? `${scopes.slice(0, 2).join(', ')} and ${scopes.length - 2} more`
            : scopes.join(', ') || 'none'}
        </span>
      </Cell>
      <Cell name="Last used">{last_used_at ? <Moment at={last_used_at} /> : <span class="faint">never</span>}</Cell>
      <Cell name={revoked_at ? 'Revoked' : 'Expires'}>
        {revoked_at ? (
          <Moment at={revoked_at} />
        ) : expires_at ? (
          <div class="ops-two">
            <Moment at={expires_at} />
            {is_soon && <span class="ops-wary">in {timeUntil(expires_at)}</span>}
          </div>
        ) : (
          <span class="faint">never</span>
        )}
      </Cell>
      <Cell class="ops-acts">
        {!revoked_at && (
          <button type="button" class="quiet danger" aria-label={`Revoke ${name}`} onClick={onRevoke}>
            Revoke…
          </button>
        )}
      </Cell>
    </tr>
  )
}
