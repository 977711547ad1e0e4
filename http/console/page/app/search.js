/** The search over everything in a project, for the command palette. No DOM. */
import { faultOf } from '../data/errors.js'
import { exactly } from '../ui/format.js'
import { toastFault } from '../ui/toast.js'
import { addressOf } from './places.js'
import { words } from './search_words.js'

/** @typedef {import('./actions.js').Action} Action */
/**
 * A found record. `highlight` is text as HTML, whose only tag is `<em>`.
 *
 * @typedef {{
 *   kind: 'contact' | 'ticket' | 'message'
 *   id: string
 *   chat_user: string | null
 *   chat_user_name: string | null
 *   channel: string | null
 *   created_at: string
 *   highlight: { field: string, text: string }[]
 * }} Hit
 */

/** Results at first, and after the agent asked for more. */
const FEW = 12
const MOST = 50
/** Tickets of a person that one request lists. */
const TICKETS = 50

/** @type {Record<Hit['kind'], { group: string, icon: import('../ui/icons.js').IconName }>} */
const KINDS = {
  contact: { group: 'Contact', icon: 'person' },
  ticket: { group: 'Ticket', icon: 'inbox' },
  message: { group: 'Message', icon: 'message' },
}

/** @type {Partial<Record<string, string>>} */
const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

/**
 * Resolves to what was found, as actions that open it; with a note when the search failed. `has_more`: more can be asked for
 * with `is_all`.
 *
 * @param {Pick<import('../data/project.js').Project, 'id' | 'api'>} project
 * @param {string} text
 * @param {boolean} [is_all]
 * @returns {Promise<{ actions: Action[], note: string | undefined, has_more: boolean }>}
 */
export async function searchProject(project, text, is_all = false) {
  const most = is_all ? MOST : FEW
  try {
    const { data } = await project.api.get('crm/search', { search: text, limit: Math.min(MOST, most + 1) })
    const actions = data.slice(0, most).map((/** @type {Hit} */ hit) => actionOf(project, hit))
    return { actions, note: undefined, has_more: data.length > most }
  } catch (error) {
    return { actions: [], note: /** @type {Error} */ (error).message, has_more: false }
  }
}

/**
 * The address of a message in the thread of the ticket that it came to: the one that was open at its time. Without a ticket
 * that of its person.
 *
 * @public for its tests
 * @param {Pick<import('../data/project.js').Project, 'id' | 'api'>} project
 * @param {Pick<Hit, 'id' | 'chat_user' | 'created_at'>} hit
 */
export async function messagePlace({ id: project_id, api }, { id, chat_user, created_at }) {
  for (let offset = 0; chat_user; offset += TICKETS) {
    const { data, total } = await api.get('crm/tickets', { chat_user, limit: TICKETS, offset })
    const ticket = data.find((/** @type {import('../../page_types/record.ts').AnyRecord} */ one) =>
      isAt(one, created_at),
    )
    if (ticket) {
      return addressOf(project_id, 'inbox', [ticket.is_closed ? 'closed' : 'all', ticket._id], { message: id })
    }
    if (offset + TICKETS >= total) break
  }
  return addressOf(project_id, 'contacts', [chat_user ?? ''])
}

/**
 * True when the ticket was open then.
 *
 * @param {import('../../page_types/record.ts').AnyRecord} ticket
 * @param {string} at
 */
function isAt({ created_at, closed_at }, at) {
  return created_at <= at && (!closed_at || at <= closed_at)
}

/**
 * @param {Pick<import('../data/project.js').Project, 'id' | 'api'>} project
 * @param {Hit} hit
 * @returns {Action}
 */
function actionOf(project, hit) {
  const { kind, id, chat_user_name, channel, created_at, highlight } = hit
  const found = highlight.filter(({ text }) => plainText(text) !== chat_user_name)
  const { group, icon } = KINDS[kind]
  const go = async () => {
    if (kind === 'message') location.hash = await messagePlace(project, hit)
    else
      location.hash = addressOf(
        project.id,
        kind === 'contact' ? 'contacts' : 'inbox',
        kind === 'contact' ? [id] : ['all', id],
      )
  }
  const name = chat_user_name ?? (kind === 'contact' && found.length > 0 ? null : words.nameless)
  const parts = [
    ...(name === null ? [] : [[{ text: name, is_match: false }]]),
    ...found.map(({ text }) => partsOf(text)),
  ]
  const shown = parts.flatMap((part, at) => (at === 0 ? part : [{ text: ' · ', is_match: false }, ...part]))
  return {
    text: shown.map(({ text }) => text).join(''),
    parts: shown,
    channel: channel ?? undefined,
    at: created_at,
    title: `${group}, ${exactly(created_at)}`,
    group,
    icon,
    act: () => {
      go().catch((error) => toastFault(words.gone, faultOf(error)))
    },
  }
}

/**
 * The text of a highlight, in parts: what was found is a part of its own.
 *
 * @param {string} markup
 */
function partsOf(markup) {
  const [first = '', ...rest] = markup.split('<em>')
  const parts = [{ text: first, is_match: false }]
  for (const piece of rest) {
    const [match = '', after = ''] = piece.split('</em>')
    parts.push({ text: match, is_match: true }, { text: after, is_match: false })
  }
  return parts.filter(({ text }) => text !== '').map((part) => ({ ...part, text: plainText(part.text) }))
}

/** @param {string} markup */
function plainText(markup) {
  return markup.replace(/<\/?em>/g, '').replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
}
