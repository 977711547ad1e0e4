/**
 * The bound on the files that Parley keeps for one project.
 *
 * Files are counted before a new one is stored, so uploads at the same moment can exceed the bound by one file each. A
 * count in which the file fits serves the next uploads, too: each of them would otherwise read all files of the project.
 */
import { Refusal } from '../../runtime/mod.ts'
import { countKeptFiles, type Database } from '../../storage/mod.ts'

/** Uploads over other nodes meanwhile are not in a remembered count. */
const REMEMBERED_MS = 5000
const MAX_REMEMBERED = 10_000
/** Visitors may fill a part, so that strangers leave room for the files of the project itself. */
const PART_OF_VISITORS = 0.5

type Most = { files: number; bytes: number }
type Count = { files: number; bytes: number; until: number }

export class FileRoom {
  readonly #database: Database
  readonly #most: Most
  /** Counts by project, the oldest first. */
  readonly #counts = new Map<string, Count>()

  /** `most`: the files of one project, and their bytes together. */
  constructor(database: Database, most: Most) {
    this.#database = database
    this.#most = most
  }

  /**
   * Takes room for a file that is about to be stored.
   * @throws {Refusal} MEDIA_LIMIT_REACHED when the project has no room for this many bytes more
   */
  async take(project_id: string, file_size: number): Promise<void> {
    const refused = await this.#take(project_id, file_size, this.#most)
    if (!refused) return
    const { files, bytes } = refused
    const most = { most_files: this.#most.files, most_bytes: this.#most.bytes }
    throw new Refusal('MEDIA_LIMIT_REACHED', { details: { files, bytes, ...most } })
  }

  /** Takes room for a file of a visitor. Returns false when the project has none. */
  async takeForVisitor(project_id: string, file_size: number): Promise<boolean> {
    const { files, bytes } = this.#most
    const most = { files: files * PART_OF_VISITORS, bytes: bytes * PART_OF_VISITORS }
    return (await this.#take(project_id, file_size, most)) === undefined
  }

  /** Returns what the project has when that leaves no room. */
  async #take(project_id: string, file_size: number, most: Most): Promise<Count | undefined> {
    const fits = ({ files, bytes }: Count) => files < most.files && bytes + file_size <= most.bytes
    let count = this.#counts.get(project_id)
    // Files may have been deleted, so only a fresh count refuses.
    if (!count || count.until < performance.now() || !fits(count)) count = await this.#count(project_id)
    if (!fits(count)) return count
    count.files++
    count.bytes += file_size
    return undefined
  }

  async #count(project_id: string): Promise<Count> {
    const kept = await countKeptFiles(this.#database, project_id, this.#most.files)
    const count = { ...kept, until: performance.now() + REMEMBERED_MS }
    this.#counts.delete(project_id)
    this.#counts.set(project_id, count)
    if (this.#counts.size > MAX_REMEMBERED) this.#counts.delete(this.#counts.keys().next().value!)
    return count
  }
}
