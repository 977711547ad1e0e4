import { readPassages, searchKnowledge } from '../../../../storage/mod.ts'
import { type BuiltIn, object, text } from '../built_in.ts'
import { found } from '../result.ts'
import type { Source } from '../tool.ts'

const MOST = 5
/** Characters of a snippet by which its place is found. */
const MARK = 80

export const searchKnowledgeTool: BuiltIn = {
  name: 'parley_search_knowledge',
  description:
    'Searches the knowledge of the business and returns the parts of documents that fit best, each with its number. Use it before you answer a question about the business, and cite what you use by its number, like [1].',
  isOffered: ({ assistant }) => assistant.knowledge_node_ids.length > 0,
  parameters: () => object({ query: text('Words to search for, in the language of the documents', 300) }, ['query']),
  async run({ query }: { query: string }, { database, project_id, first_source }, { assistant }) {
    const scope = { query, limit: MOST, node_ids: assistant.knowledge_node_ids }
    const hits = await searchKnowledge(database, project_id, scope)
    const places = hits.map(({ node_id, snippet }) => ({ node_id, text: snippet.replaceAll('…', '').slice(0, MARK) }))
    const passages = await readPassages(database, project_id, places)
    const documents = hits.map(({ node_id, name, score }) => ({ node_id, title: name, score }))
    const sources: Source[] = hits.map(({ node_id, name }) => {
      const url = passages.get(node_id)?.url ?? null
      return { title: name, node_id, url }
    })
    const results = hits.map(({ node_id, name }, at) => {
      const { text = '', is_cut = false, url = null } = passages.get(node_id) ?? {}
      return { number: first_source + at, title: name, ...(url !== null && { url }), text, ...(is_cut && { is_cut }) }
    })
    const note = hits.length === 0 ? { note: 'Nothing was found. Try other words, or say that you do not know.' } : {}
    return found({ results, ...note }, { documents, sources })
  },
}
