/** The fields of a subscription while they are filled in, and the bodies of the requests. No DOM. */
import type { Webhook } from '../records/webhook.ts'

/** `concurrency` is the text of the field. */
export type Draft = {
  name: string
  mode: 'push' | 'poll'
  url: string
  events: string[]
  payload: 'full' | 'thin'
  format: 'standard' | 'cloudevents'
  headers: { name: string; value: string }[]
  ordering: 'none' | 'subscription' | 'contact'
  concurrency: string
  ed25519: boolean
  disable_on_410: boolean
}

export const NEW_DRAFT: Draft = {
  name: '',
  mode: 'push',
  url: '',
  events: [],
  payload: 'full',
  format: 'standard',
  headers: [],
  ordering: 'none',
  concurrency: '8',
  ed25519: false,
  disable_on_410: false,
}

export function draftOf({
  name,
  mode,
  url,
  events,
  payload,
  format,
  headers,
  ordering,
  concurrency,
  ...flags
}: Webhook): Draft {
  return {
    name,
    mode,
    url: url ?? '',
    events,
    payload,
    format,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    ordering,
    concurrency: String(concurrency),
    ed25519: flags.ed25519,
    disable_on_410: flags.disable_on_410,
  }
}

/** The body of a creation. */
export function fieldsOf(draft: Draft) {
  const { mode, url, headers, ordering, concurrency, ed25519, disable_on_410 } = draft
  const common = {
    name: draft.name.trim(),
    mode,
    events: draft.events,
    payload: draft.payload,
    format: draft.format,
  }
  if (mode === 'poll') return common
  const fields = headers.filter(({ name, value }) => name.trim() !== '' || value.trim() !== '')
  return {
    ...common,
    url: url.trim(),
    headers: Object.fromEntries(fields.map(({ name, value }) => [name.trim(), value.trim()])),
    ordering,
    concurrency: concurrency.trim() === '' ? null : Number(concurrency),
    ed25519,
    disable_on_410,
  }
}

/** The body of a change: the fields that differ, so that a colleague's change of another one stays. */
export function changesOf(before: Draft, after: Draft) {
  const { mode: _, ...old } = fieldsOf(before)
  const { mode: __, ...fields } = fieldsOf(after)
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify((old as Record<string, unknown>)[name]),
    ),
  )
}
