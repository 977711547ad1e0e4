/** The audit of the whole installation. */

import { useMemo } from 'preact/hooks'
import type { Api } from '../data/api.ts'
import type { Place } from '../data/place.ts'
import { Moment } from '../ui/format/moment.tsx'
import { SelectField } from '../ui/forms/field.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { Chip, Listing } from './listing.tsx'
import { type Pages, usePages } from './pages.ts'
import { opsPlace } from './places.ts'
import type { AuditEntry } from './records.ts'

const KINDS: Record<string, string> = {
  operator: 'Operator keys',
  user: 'Users',
  token: 'Tokens',
  system: 'Parley itself',
}
/** Hours that the list goes back. */
const TIMES: Record<string, string> = {
  1: 'The last hour',
  24: 'The last day',
  168: 'The last 7 days',
  720: 'The last 30 days',
}

const HOUR_MS = 3_600_000
/** Filters that other views link to. */
const LINKED = ['actor_id', 'target_id', 'company_id', 'project_id']

export function AuditPage({ api, place: { query } }: { api: Api; place: Place }) {
  const { hours, ...filter } = query
  const since = useMemo(
    () => (hours && TIMES[hours] ? new Date(Date.now() - Number(hours) * HOUR_MS).toISOString() : undefined),
    [hours],
  )
  const pages: Pages<AuditEntry> = usePages(api, 'ops/audit', { ...filter, since })
  const go = (changes: Record<string, string | undefined>) => {
    location.hash = opsPlace('audit', { ...query, ...changes })
  }
  const find = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const word = (name: string) =>
      String(form.get(name) ?? '')
        .trim()
        .toLowerCase()
    go({ action: word('action'), target_kind: word('target_kind') })
  }
  const options = (words: Record<string, string>, all: string) => [
    { value: '', text: all },
    ...Object.entries(words).map(([value, text]) => ({ value, text })),
  ]
  return (
    <>
      <form class="ops-audit-filters" role="search" onSubmit={find} key={JSON.stringify(filter)}>
        <SelectField
          label="By"
          value={query.actor_kind ?? ''}
          options={options(KINDS, 'Everybody')}
          onChange={(actor_kind) => go({ actor_kind })}
        />
        <SelectField
          label="Time"
          value={hours ?? ''}
          options={options(TIMES, 'Any time')}
          onChange={(value) => go({ hours: value })}
        />
        <label class="field">
          Action{' '}
          <input name="action" maxlength={60} placeholder="update_user" value={query.action ?? ''} spellcheck={false} />
        </label>
        <label class="field">
          Record{' '}
          <input
            name="target_kind"
            maxlength={60}
            placeholder="user"
            value={query.target_kind ?? ''}
            spellcheck={false}
          />
        </label>
        <button type="submit" class="button">
          <Icon name="filter" /> Filter
        </button>
      </form>
      {LINKED.some((name) => query[name]) && (
        <div class="ops-filters">
          {LINKED.filter((name) => query[name]).map((name) => (
            <Chip
              text={`${name} ${query[name]}`}
              href={opsPlace('audit', { ...query, [name]: undefined })}
              key={name}
            />
          ))}
        </div>
      )}
      <Listing
        label="Audit entries"
        pages={pages}
        columns={['Time', 'Who', 'Action', 'Record', 'Change']}
        row={(entry) => <Row entry={entry} query={query} key={entry._id} />}
        empty={{ title: 'No entry matches', text: 'Entries are kept for as long as PARLEY_AUDIT_DAYS says.' }}
      />
    </>
  )
}

function Row({ entry, query }: { entry: AuditEntry; query: Record<string, string> }) {
  const { created_at, actor, address, action, target, request_id } = entry
  const name = actor.name ?? (actor.kind === 'system' ? 'Parley' : 'unknown')
  const changes = changesOf(entry)
  return (
    <tr>
      <td data-name="Time">
        <Moment at={created_at} />
      </td>
      <td data-name="Who" class="ops-first">
        <div class="ops-two">
          {actor.id ? (
            <a class="ops-plain" href={opsPlace('audit', { ...query, actor_id: actor.id })}>
              {name}
            </a>
          ) : (
            <b>{name}</b>
          )}
          <span class="faint">
            {actor.kind}
            {address && ` · ${address}`}
          </span>
        </div>
      </td>
      <td data-name="Action">
        <a class="ops-plain" href={opsPlace('audit', { ...query, action })}>
          <code>{action}</code>
        </a>
      </td>
      <td data-name="Record">
        <div class="ops-two">
          <span>{target.kind.replaceAll('_', ' ')}</span>
          {target.id && (
            <a class="ops-plain faint" href={opsPlace('audit', { target_id: target.id })}>
              <code class="ops-break">{target.id}</code>
            </a>
          )}
        </div>
      </td>
      <td data-name="Change">
        <details class="ops-change">
          <summary>{summaryOf(entry, changes)}</summary>
          {changes.length > 0 && (
            <dl class="ops-diff">
              {changes.map(({ field, before, after }) => (
                <div key={field}>
                  <dt>{field}</dt>
                  <dd>
                    {before !== undefined && (
                      <>
                        <del>{textOf(before)}</del>{' '}
                      </>
                    )}
                    {after !== undefined && <ins>{textOf(after)}</ins>}
                  </dd>
                </div>
              ))}
            </dl>
          )}
          {request_id && (
            <p class="faint">
              Request <code class="ops-break">{request_id}</code>
            </p>
          )}
        </details>
      </td>
    </tr>
  )
}

type FieldChange = { field: string; before: unknown; after: unknown }

function changesOf({ before, after }: AuditEntry): FieldChange[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return fields.map((field) => ({ field, before: before?.[field], after: after?.[field] }))
}

function summaryOf({ before, after, erased_at }: AuditEntry, changes: FieldChange[]) {
  if (erased_at) return 'Erased'
  if (changes.length === 0) return 'Details'
  const names = changes.map(({ field }) => field)
  const named = names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
  if (!before) return `Set ${named}`
  return after ? `Changed ${named}` : `Deleted, with ${named}`
}

function textOf(value: unknown) {
  if (value === null) return 'empty'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
