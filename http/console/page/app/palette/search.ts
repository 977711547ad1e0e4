/** The search over everything in a project, for the command palette. No DOM. */

import { words } from '../../crm/search_words.ts'
import { faultOf } from '../../data/errors.ts'
import { addressOf } from '../../data/places.ts'
import type { Project } from '../../data/project.ts'
import type { AnyRecord } from '../../records/record.ts'
import type { Action } from '../../ui/actions.ts'
import { exactly } from '../../ui/format/format.ts'
import { toastFault } from '../../ui/overlays/toast.ts'
import type { IconName } from '../../ui/pictures/icons.tsx'

/** A found record. `highlight` is text as HTML, whose only tag is `<em>`. */
type Hit = {
  kind: 'contact' | 'ticket' | 'message'
  id: string
  chat_user: string | null
  chat_user_name: string | null
  channel: string | null
  created_at: string
  highlight: { field: string; text: string }[]
}

/** Results at first, and after the agent asked for more. */
const FEW = 12
const MAX = 50
/** Tickets of a person that one request lists. */
const TICKETS = 50

const KINDS: Record<Hit['kind'], { group: string; icon: IconName }> = {
  contact: { group: 'Contact', icon: 'person' },
  ticket: { group: 'Ticket', icon: 'inbox' },
  message: { group: 'Message', icon: 'message' },
}

const ENTITIES: Partial<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

/**
 * Resolves to what was found, as actions that open it; with a note when the search failed. `has_more`: more can be asked for
 * with `is_all`.
 */
export async function searchProject(
  project: Pick<Project, 'id' | 'api'>,
  text: string,
  is_all: boolean = false,
): Promise<{ actions: Action[]; note: string | undefined; has_more: boolean }> {
  const most = is_all ? MAX : FEW
  try {
    const { data } = await project.api.get('crm/search', { search: text, limit: Math.min(MAX, most + 1) })
    const actions = data.slice(0, most).map((hit: Hit) => actionOf(project, hit))
    return { actions, note: undefined, has_more: data.length > most }
  } catch (error) {
    return { actions: [], note: (error as Error).message, has_more: false }
  }
}

/**
 * The address of a message in the thread of the ticket that it came to: the one that was open at its time. Without a ticket
 * that of its person.
 *
 * @public for its tests
 */
export async function messagePlace(
  { id: project_id, api }: Pick<Project, 'id' | 'api'>,
  { id, chat_user, created_at }: Pick<Hit, 'id' | 'chat_user' | 'created_at'>,
) {
  for (let offset = 0; chat_user; offset += TICKETS) {
    const { data, total } = await api.get('crm/tickets', { chat_user, limit: TICKETS, offset })
    const ticket = data.find((one: AnyRecord) => isAt(one, created_at))
    if (ticket) {
      return addressOf(project_id, 'inbox', [ticket.is_closed ? 'closed' : 'all', ticket._id], { message: id })
    }
    if (offset + TICKETS >= total) break
  }
  return addressOf(project_id, 'contacts', [chat_user ?? ''])
}

/** True when the ticket was open then. */
function isAt({ created_at, closed_at }: AnyRecord, at: string) {
  return created_at <= at && (!closed_at || at <= closed_at)
}

function actionOf(project: Pick<Project, 'id' | 'api'>, hit: Hit): Action {
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
  const pieces = parts.flatMap((part, at) => (at === 0 ? part : [{ text: ' · ', is_match: false }, ...part]))
  return {
    text: pieces.map(({ text }) => text).join(''),
    parts: pieces,
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

/** The text of a highlight, in parts: what was found is a part of its own. */
function partsOf(markup: string) {
  const [first = '', ...rest] = markup.split('<em>')
  const parts = [{ text: first, is_match: false }]
  for (const piece of rest) {
    const [match = '', after = ''] = piece.split('</em>')
    parts.push({ text: match, is_match: true }, { text: after, is_match: false })
  }
  return parts.filter(({ text }) => text !== '').map((part) => ({ ...part, text: plainText(part.text) }))
}

function plainText(markup: string) {
  return markup.replace(/<\/?em>/g, '').replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
}
