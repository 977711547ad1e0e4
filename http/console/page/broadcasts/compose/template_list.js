/** @typedef {import('../../../page_types/template.ts').Template} Template */

const PAGE = 200
/** WhatsApp allows 6000 templates for an account. */
const MOST = 6000

/**
 * Reads the templates of a number, by their names.
 *
 * @param {Pick<import('../../data/project_api.js').ProjectApi, 'get'>} api
 * @param {string} channel_id
 */
export async function readTemplates(api, channel_id) {
  /** @type {Template[]} */
  const list = []
  /** @type {string | null} */
  let cursor = null
  do {
    /** @type {{ data: Template[], next_cursor: string | null }} */
    const page = await api.get('messages/templates', { channel_id, limit: PAGE, cursor })
    list.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null && list.length < MOST)
  return list.sort((a, b) => a.name.localeCompare(b.name) || a.language.localeCompare(b.language))
}
