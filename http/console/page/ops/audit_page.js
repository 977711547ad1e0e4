/** The audit of the whole installation. */
import { html } from 'htm/preact'
import { useMemo } from 'preact/hooks'
import { SelectField } from '../ui/field.js'
import { Icon } from '../ui/icons.js'
import { Moment } from '../ui/moment.js'
import { Chip, Listing } from './listing.js'
import { usePages } from './pages.js'
import { opsPlace } from './places.js'

/** @typedef {import('../../page_types/ops.ts').AuditEntry} AuditEntry */

/** @type {Record<string, string>} */
const KINDS = { operator: 'Operator keys', user: 'Users', token: 'Tokens', system: 'Parley itself' }
/** Hours that the list goes back. @type {Record<string, string>} */
const TIMES = { 1: 'The last hour', 24: 'The last day', 168: 'The last 7 days', 720: 'The last 30 days' }

const HOUR_MS = 3_600_000
/** Filters that other views link to. */
const LINKED = ['actor_id', 'target_id', 'company_id', 'project_id']

/**
 * @param {{ api: import('../data/api.js').Api, place: import('../../page_types/place.ts').Place }} props
 */
export function AuditPage({ api, place: { query } }) {
  const { hours, ...filter } = query
  const since = useMemo(
    () => (hours && TIMES[hours] ? new Date(Date.now() - Number(hours) * HOUR_MS).toISOString() : undefined),
    [hours],
  )
  /** @type {import('./pages.js').Pages<AuditEntry>} */
  const pages = usePages(api, 'ops/audit', { ...filter, since })
  /** @param {Record<string, string | undefined>} changes */
  const go = (changes) => {
    location.hash = opsPlace('audit', { ...query, ...changes })
  }
  /** @param {SubmitEvent} event */
  const find = (event) => {
    event.preventDefault()
    const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget))
    const word = (/** @type {string} */ name) =>
      String(form.get(name) ?? '')
        .trim()
        .toLowerCase()
    go({ action: word('action'), target_kind: word('target_kind') })
  }
  const options = (/** @type {Record<string, string>} */ words, /** @type {string} */ all) => [
    { value: '', text: all },
    ...Object.entries(words).map(([value, text]) => ({ value, text })),
  ]
  return html`
    <form class="ops-audit-filters" role="search" onSubmit=${find} key=${JSON.stringify(filter)}>
      <${SelectField} label="By" value=${query.actor_kind ?? ''} options=${options(KINDS, 'Everybody')} onChange=${(/** @type {string} */ actor_kind) => go({ actor_kind })} />
      <${SelectField} label="Time" value=${hours ?? ''} options=${options(TIMES, 'Any time')} onChange=${(/** @type {string} */ value) => go({ hours: value })} />
      <label class="field">Action <input name="action" maxlength="60" placeholder="update_user" value=${query.action ?? ''} spellcheck="false" /></label>
      <label class="field">Record <input name="target_kind" maxlength="60" placeholder="user" value=${query.target_kind ?? ''} spellcheck="false" /></label>
      <button type="submit" class="button"><${Icon} name="filter" /> Filter</button>
    </form>
    ${
      LINKED.some((name) => query[name]) &&
      html`<div class="ops-filters">
      ${LINKED.filter((name) => query[name]).map((name) => html`<${Chip} text="${name} ${query[name]}" href=${opsPlace('audit', { ...query, [name]: undefined })} key=${name} />`)}
    </div>`
    }
    <${Listing}
      label="Audit entries"
      pages=${pages}
      columns=${['Time', 'Who', 'Action', 'Record', 'Change']}
      row=${(/** @type {AuditEntry} */ entry) => html`<${Row} entry=${entry} query=${query} key=${entry._id} />`}
      empty=${{ title: 'No entry matches', text: 'Entries are kept for as long as PARLEY_AUDIT_DAYS says.' }}
    />
  `
}

/**
 * @param {{ entry: AuditEntry, query: Record<string, string> }} props
 */
function Row({ entry, query }) {
  const { created_at, actor, address, action, target, request_id } = entry
  const name = actor.name ?? (actor.kind === 'system' ? 'Parley' : 'unknown')
  const changes = changesOf(entry)
  return html`<tr>
    <td data-name="Time"><${Moment} at=${created_at} /></td>
    <td data-name="Who" class="ops-first"><div class="ops-two">
      ${actor.id ? html`<a class="ops-plain" href=${opsPlace('audit', { ...query, actor_id: actor.id })}>${name}</a>` : html`<b>${name}</b>`}
      <span class="faint">${actor.kind}${address && ` · ${address}`}</span>
    </div></td>
    <td data-name="Action"><a class="ops-plain" href=${opsPlace('audit', { ...query, action })}><code>${action}</code></a></td>
    <td data-name="Record"><div class="ops-two"><span>${target.kind.replaceAll('_', ' ')}</span>
      ${target.id && html`<a class="ops-plain faint" href=${opsPlace('audit', { target_id: target.id })}><code class="ops-break">${target.id}</code></a>`}
    </div></td>
    <td data-name="Change">
      <details class="ops-change">
        <summary>${summaryOf(entry, changes)}</summary>
        ${
          changes.length > 0 &&
          html`<dl class="ops-diff">
          ${changes.map(
            ({ field, before, after }) => html`<div key=${field}>
            <dt>${field}</dt>
            <dd>${before !== undefined && html`<del>${textOf(before)}</del> `}${after !== undefined && html`<ins>${textOf(after)}</ins>`}</dd>
          </div>`,
          )}
        </dl>`
        }
        ${request_id && html`<p class="faint">Request <code class="ops-break">${request_id}</code></p>`}
      </details>
    </td>
  </tr>`
}

/** @typedef {{ field: string, before: unknown, after: unknown }} FieldChange */

/**
 * @param {AuditEntry} entry
 * @returns {FieldChange[]}
 */
function changesOf({ before, after }) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return fields.map((field) => ({ field, before: before?.[field], after: after?.[field] }))
}

/**
 * @param {AuditEntry} entry
 * @param {FieldChange[]} changes
 */
function summaryOf({ before, after, erased_at }, changes) {
  if (erased_at) return 'Erased'
  if (changes.length === 0) return 'Details'
  const names = changes.map(({ field }) => field)
  const named = names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
  if (!before) return `Set ${named}`
  return after ? `Changed ${named}` : `Deleted, with ${named}`
}

/** @param {unknown} value */
function textOf(value) {
  if (value === null) return 'empty'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
