/** Explains an empty list. */
import { html } from 'htm/preact'
import { Empty } from '../ui/empty.js'

/** @typedef {import('../../page_types/inbox.ts').InboxFilter} InboxFilter */

/** Explanations of empty views. @type {Partial<Record<string, [title: string, text: string]>>} */
const NOTHING = {
  mine: ['Nothing is assigned to you', 'Tickets that others assign to you, or that you take, appear here.'],
  unassigned: ['Everything has an owner', 'New tickets without an assignee appear here.'],
  all: ['No open tickets', 'A ticket is opened when a person writes.'],
  snoozed: ['Nothing is snoozed', 'Snoozed tickets come back at their time, or when the person writes.'],
  closed: ['No closed tickets', 'Closed tickets appear here.'],
}

/**
 * @param {{ view: string, filter: InboxFilter }} props
 */
export function NoTickets({ view, filter }) {
  const is_filtered = Object.keys(filter).some((name) => name !== 'sort')
  if (is_filtered) return html`<${Empty} icon="filter" title="No ticket matches" text="Remove a filter to see more." />`
  const [title, text] = NOTHING[view] ?? ['No ticket matches', 'The view shows tickets as they come to match it.']
  return html`<${Empty} icon="inbox" title=${title} text=${text} />`
}
