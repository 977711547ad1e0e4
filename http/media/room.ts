/**
 * The bound on the files that Parley keeps for one project. Files are counted before a new one is stored, so uploads at
 * the same moment can exceed the bound by one file each.
 */
import { Refusal } from '../../runtime/mod.ts'
import { countKeptFiles, type Database } from '../../storage/mod.ts'

const MOST_FILES = 100_000
const MOST_BYTES = 100 * 1024 ** 3
/** Visitors may fill a part, so that strangers leave room for the files of the project itself. */
const PART_OF_VISITORS = 0.5

type Where = { database: Database; project_id: string }

/** @throws {Refusal} MEDIA_LIMIT_REACHED when the project has no room for this many bytes more */
export async function mustHaveRoom(where: Where, file_size: number): Promise<void> {
  const { has_room, files, bytes } = await roomFor(where, file_size, 1)
  if (has_room) return
  throw new Refusal('MEDIA_LIMIT_REACHED', {
    details: { files, bytes, most_files: MOST_FILES, most_bytes: MOST_BYTES },
  })
}

/** False when the project has no room for this file of a visitor. */
export async function hasRoomForVisitor(where: Where, file_size: number): Promise<boolean> {
  return (await roomFor(where, file_size, PART_OF_VISITORS)).has_room
}

async function roomFor({ database, project_id }: Where, file_size: number, part: number) {
  const most_files = MOST_FILES * part
  const kept = await countKeptFiles(database, project_id, most_files)
  return { ...kept, has_room: kept.files < most_files && kept.bytes + file_size <= MOST_BYTES * part }
}
