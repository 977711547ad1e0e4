/** The document of an import. */
import { KnowledgeImport, KnowledgeNode, Media } from '../../../storage/mod.ts'
import type { ImportError } from '../../knowledge/import/mod.ts'
import { knowledgeReads } from '../knowledge/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'

const DAY_MS = 86_400_000
/** Days that the file of a failed import is kept, so that it can be tried again. */
const KEPT_DAYS = 7

/** Undefined when it was deleted, also earlier in this turn. */
export function documentOf({ records }: ProjectTurn, node_id: string): KnowledgeNode | undefined {
  const { by_id, places } = records.of(knowledgeReads)
  return places.get(node_id)?.is_active === false ? undefined : by_id.get(node_id)
}

export function changeDocument(turn: ProjectTurn, node: KnowledgeNode, change: Partial<KnowledgeNode>): void {
  const whole = { ...change, updated_at: turn.now }
  turn.update(KnowledgeNode, { _id: node._id }, whole)
  Object.assign(node, whole)
}

export function changeImport(turn: ProjectTurn, row: KnowledgeImport, change: Partial<KnowledgeImport>): void {
  const whole = { ...change, updated_at: turn.now }
  turn.update(KnowledgeImport, { node_id: row.node_id }, whole)
  Object.assign(row, whole)
}

export function isUnfinished({ status }: KnowledgeImport): boolean {
  return status === 'waiting' || status === 'running'
}

/** Ends the import as failed. A text that the document had stays. */
export function failImport(
  turn: ProjectTurn,
  row: KnowledgeImport,
  node: KnowledgeNode,
  { code, message }: ImportError,
) {
  changeImport(turn, row, { status: 'failed', error_code: code, error_message: message })
  changeDocument(turn, node, { index_status: 'failed', index_error: `${code}: ${message}` })
  keepFile(turn, row.media_id, KEPT_DAYS)
}

/** Keeps the uploaded file for so many days; the tidying removes it afterwards. */
export function keepFile(turn: ProjectTurn, media_id: string | null | undefined, days: number): void {
  if (media_id) turn.update(Media, { media_id }, { expires_at: new Date(turn.now.getTime() + days * DAY_MS) })
}
