/** The search over everything in a project, for the command palette. No DOM. */
import { addressOf } from './places.js'

/** @typedef {import('./actions.js').Action} Action */
/**
 * A found record. `highlight` is text as HTML, whose only tag is `<em>`.
 *
 * @typedef {{
 *   kind: 'contact' | 'ticket' | 'message'
 *   id: string
 *   chat_user: string | null
 *   chat_user_name: string | null
 *   highlight: { field: string, text: string }[]
 * }} Hit
 */

const MOST = 12

/** @type {Record<Hit['kind'], { group: string, icon: import('../ui/icons.js').IconName }>} */
const KINDS = {
  contact: { group: 'Contact', icon: 'person' },
  ticket: { group: 'Ticket', icon: 'inbox' },
  message: { group: 'Message', icon: 'message' },
}

/** @type {Partial<Record<string, string>>} */
const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

/**
 * Resolves to what was found, as actions that open it; with a note when the search failed.
 *
 * @param {Pick<import('../data/project.js').Project, 'id' | 'api'>} project
 * @param {string} text
 * @returns {Promise<{ actions: Action[], note: string | undefined }>}
 */
export async function searchProject({ id, api }, text) {
  try {
    const { data } = await api.get('crm/search', { q: text, limit: MOST })
    return { actions: data.map((/** @type {Hit} */ hit) => actionOf(id, hit)), note: undefined }
  } catch (error) {
    return { actions: [], note: /** @type {Error} */ (error).message }
  }
}

/**
 * @param {string} project_id
 * @param {Hit} hit
 * @returns {Action}
 */
function actionOf(project_id, { kind, id, chat_user, chat_user_name, highlight }) {
  const words = highlight.map(({ text }) => plainText(text)).filter((text) => text !== chat_user_name)
  const { group, icon } = KINDS[kind]
  /** @type {Record<Hit['kind'], [section: string, path: string[]]>} */
  const places = {
    contact: ['contacts', [id]],
    ticket: ['inbox', ['all', id]],
    // A contact has one open ticket at most, so its messages lead there.
    message: ['inbox', ['contact', chat_user ?? '']],
  }
  return {
    text: [chat_user_name, ...words].filter(Boolean).join(' · ') || group,
    group,
    icon,
    act: () => {
      location.hash = addressOf(project_id, ...places[kind])
    },
  }
}

/** @param {string} markup */
function plainText(markup) {
  return markup.replace(/<\/?em>/g, '').replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
}
