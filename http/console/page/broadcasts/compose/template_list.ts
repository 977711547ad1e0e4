import type { ProjectApi } from '../../data/project_api.ts'
import type { Template } from '../../records/template.ts'

const PAGE = 200
/** WhatsApp allows 6000 templates for an account. */
const MAX = 6000

/** Reads the templates of a number, or of all numbers, by their names. */
export async function readTemplates(api: Pick<ProjectApi, 'get'>, channel_id?: string) {
  const list: Template[] = []
  let cursor: string | null = null
  do {
    const page: { data: Template[]; next_cursor: string | null } = await api.get('messages/templates', {
      channel_id,
      limit: PAGE,
      cursor,
    })
    list.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null && list.length < MAX)
  return byName(list)
}

/** Sorts the list in place. */
export function byName(list: Template[]) {
  return list.sort((a, b) => a.name.localeCompare(b.name) || a.language.localeCompare(b.language))
}
