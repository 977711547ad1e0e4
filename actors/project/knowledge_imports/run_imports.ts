/** Begins the imports that are due, as far as there is room. Also the first message to a new owner. */
import { KnowledgeImport } from '../../../storage/mod.ts'
import { type Importer, type ImportJob, importError } from '../../knowledge/import/mod.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { changeImport, documentOf, failImport, isUnfinished, keepFile } from './document.ts'
import { importReads } from './reads.ts'
import { MAX_OF_SITE, MAX_READ, MAX_RUNNING, runningImports, siteOf } from './running.ts'

const TIMER = 'knowledge_imports'
/** Time after which the table is read again, whatever else brings the actor to it. */
const LOOK_MS = 60_000
/** Attempts at one import. Those that a restart of the node broke off count. */
export const MAX_ATTEMPTS = 6

export const runImports: Receiver<object> = {
  reads(reads) {
    reads.of(importReads).next = true
  },
  receive(turn, _message, { importer }) {
    if (!importer) return
    const running = runningImports.of(turn.state)
    const { next, by_node } = turn.records.of(importReads)
    let look_at = turn.now.getTime() + LOOK_MS
    for (const row of next) {
      if (running.has(row.node_id) || !isUnfinished(row)) continue
      if (row.due_at > turn.now) {
        look_at = Math.min(look_at, row.due_at.getTime())
        break
      }
      if (running.size >= MAX_RUNNING) break
      const of_site = [...running.values()].filter((site) => site === siteOf(row)).length
      if (of_site >= MAX_OF_SITE) continue
      begin(turn, row, importer)
    }
    // Some of those that were read have ended without any work, and there may be more behind them.
    const is_unread = next.length === MAX_READ && next.some((row) => !by_node.has(row.node_id) || !isUnfinished(row))
    if (is_unread && running.size < MAX_RUNNING) turn.soon(0, { type: 'run_imports' })
    // With the imports that other messages of this turn have begun.
    const is_work_left = is_unread || running.size > 0 || [...by_node.values()].some(isUnfinished)
    turn.awake(is_work_left)
    if (is_work_left) turn.timer(TIMER, new Date(look_at), { type: 'run_imports' })
    else turn.cancel(TIMER)
  },
}

function begin(turn: ProjectTurn, row: KnowledgeImport, importer: Pick<Importer, 'run'>): void {
  const { node_id, project_id, import_id, origin, source } = row
  const node = documentOf(turn, node_id)
  if (!node) {
    turn.remove(KnowledgeImport, { node_id })
    turn.records.of(importReads).by_node.delete(node_id)
    keepFile(turn, row.media_id, 0)
    return
  }
  if (row.attempts >= MAX_ATTEMPTS) {
    failImport(turn, row, node, importError('interrupted'))
    return
  }
  const attempt = row.attempts + 1
  changeImport(turn, row, { status: 'running', attempts: attempt })
  runningImports.of(turn.state).set(node_id, siteOf(row))
  const known_sha256 = node.content === null ? null : (row.sha256 ?? null)
  const job: ImportJob = {
    node_id,
    project_id,
    origin,
    source,
    media_id: row.media_id ?? null,
    charset: row.charset ?? null,
    known_sha256,
  }
  const run = async (signal: AbortSignal) => {
    const outcome = await importer.run(job, signal)
    return { type: 'import_ended', node_id, import_id, attempt, outcome }
  }
  turn.work(run, { outside: job.media_id === null })
}
