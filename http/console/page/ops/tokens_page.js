/** The tokens of all projects: who has them, when they end, and a way to end them now. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { timeUntil } from '../ui/format.js'
import { Moment } from '../ui/moment.js'
import { Tabs } from '../ui/tabs.js'
import { toast } from '../ui/toast.js'
import { Cell, Chip, Listing, Owner, Question } from './listing.js'
import { usePages } from './pages.js'
import { opsPlace } from './places.js'

/** @typedef {import('../../page_types/ops.ts').OpsToken} OpsToken */

/** @type {Record<string, string>} */
const STATES = { active: 'Active', expiring: 'Expire within 30 days', expired: 'Expired', revoked: 'Revoked' }

const SOON_MS = 7 * 86_400_000

/**
 * @param {{ api: import('../data/api.js').Api, place: import('../../page_types/place.ts').Place }} props
 */
export function TokensPage({ api, place: { query } }) {
  const state = query.state && STATES[query.state] ? query.state : 'active'
  const { project_id, user_id } = query
  /** @type {import('./pages.js').Pages<OpsToken>} */
  const pages = usePages(api, 'ops/tokens', { state, project_id, user_id })
  const [revoked, setRevoked] = useState(/** @type {OpsToken | null} */ (null))
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
  return html`
    <div class="ops-filters">
      <${Tabs} label="State" tabs=${tabs} />
      ${project_id && html`<${Chip} text="Project ${first?.project.name ?? project_id}" href=${opsPlace('tokens', { state, user_id })} />`}
      ${user_id && html`<${Chip} text="User ${first?.user.full_name ?? user_id}" href=${opsPlace('tokens', { state, project_id })} />`}
    </div>
    <${Listing}
      label="Tokens"
      pages=${pages}
      columns=${['Token', 'Project', 'User', 'Scopes', 'Last used', state === 'revoked' ? 'Revoked' : 'Expires', '']}
      row=${(/** @type {OpsToken} */ token) => html`<${Row} token=${token} query=${query} onRevoke=${() => setRevoked(token)} key=${token._id} />`}
      empty=${{ title: state === 'active' ? 'No tokens' : `No token is ${state === 'expiring' ? 'about to expire' : state}`, icon: 'done' }}
    />
    ${
      revoked &&
      html`<${Question} title="Revoke this token?" act_text="Revoke the token" act=${revoke} onClose=${() => setRevoked(null)}>
        <p>
          “${revoked.name}” (<code>${revoked.prefix}…</code>) of ${revoked.user.full_name} in ${revoked.project.name}. Programs that
          use it are refused from the next request on. This cannot be taken back.
        </p>
      <//>`
    }
  `
}

/**
 * @param {{ token: OpsToken, query: Record<string, string>, onRevoke(): void }} props
 */
function Row({ token, query, onRevoke }) {
  const { name, prefix, project, company, user, scopes, last_used_at, expires_at, revoked_at } = token
  const is_soon =
    expires_at !== null && Date.parse(expires_at) - Date.now() < SOON_MS && Date.parse(expires_at) > Date.now()
  return html`<tr>
    <${Cell} class="ops-first"><div class="ops-two"><b>${name}</b><code class="faint">${prefix}…</code></div><//>
    <${Cell} name="Project"><${Owner} project=${project} company=${company} href=${opsPlace('tokens', { ...query, project_id: project._id })} /><//>
    <${Cell} name="User">
      <div class="ops-two">
        <a class="ops-plain" href=${opsPlace('tokens', { ...query, user_id: user._id })}>${user.full_name}</a>
        ${!user.is_active && html`<span class="ops-bad">deactivated</span>`}
      </div>
    <//>
    <${Cell} name="Scopes"><span class="ops-scopes" title=${scopes.join(', ')}>${scopes.length > 2 ? `${scopes.slice(0, 2).join(', ')} and ${scopes.length - 2} more` : scopes.join(', ') || 'none'}</span><//>
    <${Cell} name="Last used">${last_used_at ? html`<${Moment} at=${last_used_at} />` : html`<span class="faint">never</span>`}<//>
    <${Cell} name=${revoked_at ? 'Revoked' : 'Expires'}>
      ${
        revoked_at
          ? html`<${Moment} at=${revoked_at} />`
          : expires_at
            ? html`<div class="ops-two"><${Moment} at=${expires_at} />${is_soon && html`<span class="ops-wary">in ${timeUntil(expires_at)}</span>`}</div>`
            : html`<span class="faint">never</span>`
      }
    <//>
    <${Cell} class="ops-acts">
      ${!revoked_at && html`<button type="button" class="quiet danger" aria-label="Revoke ${name}" onClick=${onRevoke}>Revoke…</button>`}
    <//>
  </tr>`
}
