import type { KnowledgeImport } from '../../../storage/mod.ts'
import { parseUrl } from '../../outbound/mod.ts'
import { Memory } from '../turn/memory.ts'

/** Maximum imports of a project under way at once. */
export const MAX_RUNNING = 3

/** Those of one site, or of uploaded files: a site that does not answer leaves room for the others. */
export const MAX_OF_SITE = 2

/** Unfinished imports that are read to begin the next ones: those under way, which may come first, and more than fit. */
export const MAX_READ = 2 * MAX_RUNNING + 1

/** Maximum unfinished imports of a project: their files take room. */
export const MAX_UNFINISHED = 2_000

/** Documents whose import is under way on this node, with the site that each comes from. */
export const runningImports = new Memory<Map<string, string>>(() => new Map())

/** The host and port of an import from an address; that of uploaded files is empty. */
export function siteOf({ origin, source }: Pick<KnowledgeImport, 'origin' | 'source'>): string {
  return origin === 'url' ? (parseUrl(source)?.host ?? '') : ''
}
