/**
 * Keeps the index of the knowledge up to date: slow work outside of turns, on any node.
 *
 *  X1 A change of a document and its row in the queue are one transaction (triggers of `knowledge_node`), and a row is
 *     removed in the transaction that indexes the change. So no change is missed, whoever dies when.
 *  X2 A claimed row is due again when the lease of its node has ended. A document may be indexed twice, with the same
 *     result.
 *  X3 Projects take turns, a batch each, and writes of clients go first. A project that had an attempt wait is left out for
 *     twice as long, so that the others have most of the time.
 *  X4 A document that cannot be indexed is tried alone after two failures, and given up after `ATTEMPTS`: it then has
 *     `index_status` `failed` until it changes or an operator queues it again. Trouble with the database is no fault of
 *     a document: it is tried until it passes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isStorageTrouble, type Log } from '../../runtime/mod.ts'
import {
  type AnalysedDocument,
  claimQueued,
  type Database,
  dropOrphans,
  failQueued,
  indexDocuments,
  nextOutdatedProject,
  nextQueuedProject,
  postponeQueued,
  type QueuedDocument,
  releaseClaims,
  renormDocuments,
} from '../../storage/mod.ts'
import type { Foreground } from '../foreground.ts'
import { Analyser, NotAnalysed } from './analyser.ts'

/** Time between two looks at the queue, for changes that other nodes committed. */
const EVERY_MS = 5_000
/** Work takes at most half of the time while clients write, and nearly all of it otherwise. */
const BUSY_SHARE = 1
const SHARE = 0.1
const ATTEMPTS = 5
/** Pause of a project while others have all of its due documents. */
const TAKEN_MS = 250
/** Pause of a project, as a multiple of the time that an attempt in vain has taken. */
const VAIN = 2
/** One claim in so many begins with a document that is indexed alone, while others wait. */
const ALONE_EACH = 10
/** Seconds before a failed batch is tried again, times its attempts. */
const PAUSE_SECONDS = 2
const MAX_PAUSE_SECONDS = 30

export type IndexerOptions = {
  database: Database
  log: Log
  foreground: Foreground
  /** The id of this node; undefined before it has one. */
  node(): string | undefined
  /** Reports finished batches. */
  observe?: (batch: { documents: number; failed: number; duration_ms: number }) => void
}

export class KnowledgeIndexer {
  readonly #options: IndexerOptions
  readonly #analyser = new Analyser()
  readonly #timer: NodeJS.Timeout
  readonly #ended = new AbortController()
  #working: Promise<void> | undefined
  #again = false
  #last_project = ''
  /** Projects that are left out for a while. */
  readonly #paused = new Set<string>()

  constructor(options: IndexerOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.wake(), EVERY_MS * (0.8 + 0.4 * Math.random()))
    this.#timer.unref()
  }

  /** Looks at the queue now. */
  wake(): void {
    if (this.#ended.signal.aborted) return
    this.#again = true
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      if (this.#again) this.wake()
    })
  }

  async stop(): Promise<void> {
    this.#ended.abort()
    clearInterval(this.#timer)
    await this.#analyser.close()
    await this.#working
  }

  async #work(): Promise<void> {
    const { database, log } = this.#options
    try {
      while (this.#again && !this.#ended.signal.aborted) {
        this.#again = false
        await releaseClaims(database)
        for (;;) {
          const began = performance.now()
          if (!(await this.#workNext())) break
          await this.#rest(performance.now() - began)
        }
      }
    } catch (error) {
      if (this.#ended.signal.aborted) return
      this.#again = false
      log.warn({ error: (error as Error).message }, 'indexing the knowledge failed, trying again soon')
    }
  }

  /** Works on the next project. Returns false when there is nothing to do. */
  async #workNext(): Promise<boolean> {
    const { database, log } = this.#options
    const paused = [...this.#paused]
    const queued = await nextQueuedProject(database, this.#last_project, paused)
    const project_id = queued ?? (await nextOutdatedProject(database, paused))
    if (project_id === undefined) return false
    const began = performance.now()
    try {
      await (queued === undefined ? renormDocuments(database, project_id) : this.#indexNext(project_id))
    } catch (error) {
      if (this.#ended.signal.aborted) throw error
      log.warn({ project_id, error: (error as Error).message }, 'indexing the knowledge of a project failed')
      this.#pause(project_id, began)
    }
    return true
  }

  /** Leaves a project out, in proportion to the time since `began`. */
  #pause(project_id: string, began: number): void {
    this.#paused.add(project_id)
    const end = () => {
      this.#paused.delete(project_id)
      this.wake()
    }
    setTimeout(end, Math.max(TAKEN_MS, (performance.now() - began) * VAIN)).unref()
  }

  /** @throws when it was stopped */
  async #rest(worked_ms: number): Promise<void> {
    const share = this.#options.foreground.isBusy(performance.now()) ? BUSY_SHARE : SHARE
    await sleep(worked_ms * share, undefined, { signal: this.#ended.signal })
  }

  async #indexNext(project_id: string): Promise<void> {
    const { database, log, node, observe } = this.#options
    const began = performance.now()
    this.#last_project = project_id
    const alone_first = Math.random() * ALONE_EACH < 1
    const claimed = await claimQueued(database, project_id, { node: node(), alone_first })
    if (claimed.length === 0) {
      await dropOrphans(database, project_id)
      return this.#pause(project_id, began)
    }
    let failed = 0
    let documents = 0
    try {
      const analysed: AnalysedDocument[] = []
      for (const document of claimed) {
        const one = await this.#analyse(project_id, document)
        if (one) analysed.push(one)
        else failed++
      }
      if (analysed.length > 0) documents = await indexDocuments(database, project_id, analysed)
    } catch (error) {
      if (this.#ended.signal.aborted) throw error
      failed += await this.#failBatch(project_id, claimed, error as Error)
      if (isStorageTrouble(error)) this.#pause(project_id, began)
    }
    const duration_ms = performance.now() - began
    observe?.({ documents, failed, duration_ms })
    if (documents > 0)
      log.debug({ project_id, documents, duration_ms: Math.round(duration_ms) }, 'knowledge is indexed')
  }

  /** Undefined for a document whose text cannot be analysed. */
  async #analyse(project_id: string, document: QueuedDocument): Promise<AnalysedDocument | undefined> {
    if (!document.is_active) return { ...document, detected: null }
    const { name, content } = document
    try {
      return { ...document, ...(await this.#analyser.analyse({ name, content: content ?? '' })) }
    } catch (error) {
      if (!(error instanceof NotAnalysed)) throw error
      await this.#giveUp(project_id, document, error)
      return undefined
    }
  }

  /** Has the batch tried again. Returns the number of documents that are given up. */
  async #failBatch(project_id: string, claimed: QueuedDocument[], error: Error): Promise<number> {
    const { database, log } = this.#options
    const is_lost = ({ attempts }: QueuedDocument) => attempts >= ATTEMPTS && !isStorageTrouble(error)
    const lost = claimed.filter(is_lost)
    const rest = claimed.filter((document) => !is_lost(document))
    for (const document of lost) await this.#giveUp(project_id, document, error)
    const attempts = Math.max(1, ...rest.map(({ attempts }) => attempts))
    await postponeQueued(
      database,
      rest.map(({ node_id }) => node_id),
      Math.min(PAUSE_SECONDS * attempts, MAX_PAUSE_SECONDS),
    )
    log.warn({ project_id, documents: rest.length, error: error.message }, 'indexing documents failed, trying again')
    return lost.length
  }

  async #giveUp(project_id: string, document: QueuedDocument, { message }: Error): Promise<void> {
    const { database, log } = this.#options
    await failQueued(database, document, message)
    log.warn({ project_id, node_id: document.node_id, error: message }, 'a document cannot be indexed')
  }
}
