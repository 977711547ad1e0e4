/** The project's documents, as far as an import needs them: its folders, and what was imported into each before. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, ApiRefusal } from '../connection/api.ts'
import { poll } from '../connection/poll.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { remark } from '../terminal/terminal.ts'
import { hashOf, type LocalFile } from './local_files.ts'
import { type ImportWarning, isLoss, type Report } from './report.ts'

/** A folder; null is the top. */
export type Place = string | null

type Options = { in?: string; language?: string }
type Import = {
  node_id: string
  source: string
  origin: string
  sha256: string | null
  status: string
  warnings: ImportWarning[]
  error: { code: string; message: string } | null
}

/** Concurrent uploads. */
const WORKERS = 4
/** Milliseconds for an upload. */
const UPLOAD_MS = 300_000
const NODES = '/v1/knowledge/nodes'
const IMPORTS = '/v1/knowledge/imports'
/** The files that a refusal concerns, not the whole import. */
const OF_ONE_FILE = new Set([400, 413, 422])

export class Documents {
  readonly #api: Api
  readonly #options: Options
  /** Folders by their path. */
  readonly #places = new Map<string, Promise<Place>>()
  /** Earlier imports by file name, of each folder. */
  readonly #imports = new Map<Place, Promise<Map<string, Import>>>()
  /** Size and time of change of files that the project has. */
  readonly #known = new Map<string, string>()

  constructor(api: Api, options: Options) {
    this.#api = api
    this.#options = options
  }

  /**
   * Checks the folder that was named.
   * @throws {CommandFailure} when there is none
   */
  async checkPlace(): Promise<void> {
    const id = this.#options.in
    if (id === undefined) return
    const read = () => this.#api.call<{ type: string }>('GET', `${NODES}/${encodeURIComponent(id)}`)
    const found = await this.#patiently(read).catch((error) => {
      if (error instanceof ApiRefusal && error.status === 404) return undefined
      throw error
    })
    if (found?.type === 'folder') return
    throw new CommandFailure(`The project has no folder ${id}; \`parley knowledge tree\` shows which there are.`)
  }

  /** Has folders and earlier imports read again: others may have changed them meanwhile. */
  forget(): void {
    this.#places.clear()
    this.#imports.clear()
  }

  /** The folder at this path of names. Makes what is missing of it. */
  placeOf(names: readonly string[]): Promise<Place> {
    const key = names.join('/')
    let place = this.#places.get(key)
    if (!place) {
      place = this.#findPlace(names)
      place.catch(() => this.#places.delete(key))
      this.#places.set(key, place)
    }
    return place
  }

  /** Imports what has changed, and waits until all of it is converted. */
  async send(
    files: readonly { file: LocalFile; place: Place }[],
    addresses: readonly string[],
    report: Report,
    progress: (done: number, total: number) => void,
  ): Promise<void> {
    const sent = new Map<string, { source: string; file?: LocalFile }>()
    const total = files.length + addresses.length
    const work: (() => Promise<void>)[] = [
      ...addresses.map((source) => async () => {
        const body = { source_url: source, ...this.#fields(this.#options.in ?? null) }
        const id = await this.#begun(source, report, () => this.#api.call('POST', `${NODES}/import-url`, body))
        if (id) sent.set(id, { source })
      }),
      ...files.map(({ file, place }) => async () => {
        const id = await this.#sendFile(file, place, report)
        if (id) sent.set(id, { source: file.path, file })
      }),
    ].reverse()
    const worker = async () => {
      for (let next = work.pop(); next; next = work.pop()) {
        await next()
        progress(report.unchanged + report.failed.length, total)
      }
    }
    await Promise.all(Array.from({ length: WORKERS }, () => worker().finally(() => work.splice(0))))
    await this.#wait(sent, (left) => {
      progress(report.unchanged + report.failed.length + sent.size - left, total)
    })
    await this.#conclude(sent, report)
  }

  async #findPlace(names: readonly string[]): Promise<Place> {
    const name = names.at(-1)
    if (name === undefined) return this.#options.in ?? null
    const parent_id = await this.placeOf(names.slice(0, -1))
    let cursor: string | null = null
    do {
      const query: string = new URLSearchParams({
        depth: '1',
        ...(parent_id && { parent_id }),
        ...(cursor && { cursor }),
      }).toString()
      const page: { data: { _id: string; type: string; name: string }[]; next_cursor: string | null } =
        await this.#patiently(() => this.#api.call('GET', `/v1/knowledge/tree?${query}`))
      const found = page.data.find((node) => node.type === 'folder' && node.name === name)
      if (found) return found._id
      cursor = page.next_cursor
    } while (cursor !== null)
    const folder = { type: 'folder', name, ...(parent_id && { parent_id }) }
    // A request that is repeated makes no second folder.
    const headers = { 'idempotency-key': randomUUID() }
    return (await this.#patiently(() => this.#api.call<{ _id: string }>('POST', NODES, folder, { headers })))._id
  }

  /** The id of the document, if the file was sent. */
  async #sendFile(file: LocalFile, place: Place, report: Report): Promise<string | undefined> {
    const state = stateOf(file)
    const key = `${place} ${file.path}`
    if (this.#known.get(key) === state) {
      report.unchanged++
      return undefined
    }
    const earlier = (await this.#importsIn(place)).get(file.name)
    if (earlier?.status === 'done' && earlier.sha256 === (await hashOf(file.path))) {
      this.#known.set(key, state)
      report.unchanged++
      const { node_id, warnings } = earlier
      for (const warning of warnings.filter(isLoss)) report.warnings.push({ source: file.path, node_id, ...warning })
      return undefined
    }
    // Loaded only when needed, because it takes longer than most commands.
    const { MAX_DOCUMENT } = await import('../../../actors/mod.ts')
    if (file.size > MAX_DOCUMENT) {
      const message = `The file has more than ${MAX_DOCUMENT / 1024 / 1024} MiB. Split it, then import its parts.`
      report.failed.push({ source: file.path, code: 'PAYLOAD_TOO_LARGE', message })
      return undefined
    }
    const form = new FormData()
    form.set('file', new File([await readFile(file.path)], file.name))
    for (const [name, value] of Object.entries(this.#fields(place))) form.set(name, value)
    const options = { form, patience_ms: UPLOAD_MS }
    const begin = () => this.#api.call<{ _id: string }>('POST', `${NODES}/import`, undefined, options)
    const id = await this.#begun(file.path, report, begin)
    // A file that failed is sent again when it changes.
    this.#known.set(key, state)
    ;(await this.#importsIn(place)).delete(file.name)
    return id
  }

  #fields(parent_id: Place): Record<string, string> {
    const { language } = this.#options
    return { ...(parent_id && { parent_id }), ...(language && { language }) }
  }

  /** The earlier imports into a folder. Those at the top are not listed apart from all others, so they are sent again. */
  #importsIn(place: Place): Promise<Map<string, Import>> {
    let imports = this.#imports.get(place)
    if (!imports) {
      imports = place === null ? Promise.resolve(new Map()) : this.#readImports(place)
      this.#imports.set(place, imports)
    }
    return imports
  }

  async #readImports(parent_id: string): Promise<Map<string, Import>> {
    const all = await this.#all({ parent_id })
    return new Map(all.filter(({ origin }) => origin === 'file').map((one) => [one.source, one]))
  }

  async #all(filter: Record<string, string>): Promise<Import[]> {
    const all: Import[] = []
    for await (const one of this.#each(filter)) all.push(one)
    return all
  }

  async *#each(filter: Record<string, string>): AsyncGenerator<Import> {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = new URLSearchParams({ ...filter, limit: '200', ...(cursor && { cursor }) }).toString()
      const page: { data: Import[]; next_cursor: string | null } = await this.#patiently(() =>
        this.#api.call('GET', `${IMPORTS}?${query}`),
      )
      yield* page.data
      cursor = page.next_cursor
    }
  }

  /** The id of the document, unless the API refuses this one source. */
  async #begun(source: string, report: Report, begin: () => Promise<{ _id: string }>): Promise<string | undefined> {
    try {
      return (await this.#patiently(begin))._id
    } catch (error) {
      if (!(error instanceof ApiRefusal && OF_ONE_FILE.has(error.status))) throw error
      report.failed.push({ source, code: error.code, message: error.message })
      return undefined
    }
  }

  /** Waits until none of these documents is being imported any more. */
  async #wait(sent: ReadonlyMap<string, unknown>, progress: (left: number) => void): Promise<void> {
    if (sent.size === 0) return
    await poll(this.#api, async () => {
      const unfinished = await this.#all({ is_finished: 'false' })
      const left = unfinished.filter(({ node_id }) => sent.has(node_id)).length
      progress(left)
      return left === 0 || undefined
    })
  }

  async #conclude(sent: ReadonlyMap<string, { source: string }>, report: Report): Promise<void> {
    if (sent.size === 0) return
    const ended = new Map<string, Import>()
    for await (const one of this.#each({ is_finished: 'true' })) {
      if (sent.has(one.node_id)) ended.set(one.node_id, one)
      if (ended.size === sent.size) break
    }
    for (const [node_id, { source }] of sent) {
      const { error = null, warnings = [] } = ended.get(node_id) ?? {}
      if (error) report.failed.push({ source, ...error })
      else {
        report.imported.push({ source, node_id })
        for (const warning of warnings) report.warnings.push({ source, node_id, ...warning })
      }
    }
  }

  /** Repeats a call while the project's rate limit is used up, or too many of its imports wait. */
  async #patiently<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    for (let is_reported = false; ; is_reported = true) {
      try {
        return await call()
      } catch (error) {
        if (!(error instanceof ApiRefusal && (error.status === 429 || error.status === 503))) throw error
        const wait_s = Math.max(error.retry_after, 1)
        if (!is_reported) remark(`${error.message} Trying again every ${wait_s} s.`)
        await sleep(wait_s * 1000)
      }
    }
  }
}

function stateOf({ size, changed }: LocalFile): string {
  return `${size} ${changed}`
}
