/** The places of broadcasts. No DOM. */

import type { Place } from '../data/place.ts'
import { addressOf } from '../data/places.ts'
import type { BroadcastFilter, RecipientStatus } from '../records/broadcast.ts'
import { STATUSES } from './records.ts'

/**
 * The list with its filter, the page that composes one, or one broadcast with the status of the recipients that are
 * shown; without it all are. Beside them the message templates: their list, and the form of a new or existing one.
 */
export type BroadcastsPlace =
  | { page: 'list'; filter: BroadcastFilter }
  | { page: 'new' }
  | { page: 'one'; id: string; recipients: RecipientStatus | undefined }
  | { page: 'templates' }
  | { page: 'new_template' }
  | { page: 'template'; id: string }

/** The address of the page that composes a broadcast. No id is like it. */
const NEW = 'new'
const TEMPLATES = 'templates'
const RECIPIENT_STATUSES: RecipientStatus[] = ['pending', 'sent', 'delivered', 'read', 'failed']

/** Undefined when the address is wrong. */
export function broadcastsPlaceOf({ path: [id, ...more], query }: Place): BroadcastsPlace | undefined {
  if (id === TEMPLATES) return templatePlaceOf(more)
  if (more.length > 0) return undefined
  if (id === undefined) return { page: 'list', filter: filterOf(query) }
  if (id === NEW) return { page: 'new' }
  return { page: 'one', id, recipients: RECIPIENT_STATUSES.find((one) => one === query.recipients) }
}

/** The address of the broadcasts of a project that match a filter. */
export function broadcastsPlace(project_id: string, filter: BroadcastFilter = {}) {
  return addressOf(project_id, 'broadcasts', [], { ...filter })
}

/** The address of the page that composes a broadcast. */
export function newBroadcastPlace(project_id: string) {
  return addressOf(project_id, 'broadcasts', [NEW])
}

/** The address of a broadcast, with its recipients of a status. */
export function broadcastPlace(project_id: string, id: string, recipients?: RecipientStatus) {
  return addressOf(project_id, 'broadcasts', [id], { recipients })
}

/** The address of the list of templates, or of a place below it. */
export function templatesPlace(project_id: string, ...path: string[]) {
  return addressOf(project_id, 'broadcasts', [TEMPLATES, ...path])
}

/** The address of the form of a new template. */
export function newTemplatePlace(project_id: string) {
  return templatesPlace(project_id, NEW)
}

function templatePlaceOf([id, ...more]: string[]): BroadcastsPlace | undefined {
  if (more.length > 0) return undefined
  if (id === undefined) return { page: 'templates' }
  return id === NEW ? { page: 'new_template' } : { page: 'template', id }
}

function filterOf(query: Record<string, string>): BroadcastFilter {
  const status = STATUSES.find((one) => one === query.status)
  const search = query.search?.trim()
  return { ...(status && { status }), ...(search && { search }) }
}
