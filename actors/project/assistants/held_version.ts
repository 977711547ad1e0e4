/** Versions of blocks that wait: they are saved, and become the current ones when they are released. */
import { Block, blockTypes } from '../../../storage/mod.ts'
import { toBlockRecord, toBlockVersionRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { insertVersion, type NewVersion } from './create_block.ts'
import type { Decided, Part, Scene } from './part.ts'

/** `test_set_id`: a run of this set that passes releases the version. */
export type HoldBlockContent = {
  type: 'hold_block_content'
  id: string
  version: NewVersion
  test_set_id: string | null
  by_operator: boolean
}

/** `version_id`: the version that the caller has seen held. `by_operator`: missing from a node of an earlier version. */
type OfHeldVersion = { id: string; version_id: string; by_operator?: boolean }

export type ReleaseHeldVersion = OfHeldVersion & { type: 'release_held_version' }
export type DiscardHeldVersion = OfHeldVersion & { type: 'discard_held_version' }

const NOTHING = { held_version_id: null, held_test_set_id: null, held_at: null }

/**
 * Adds a version, which is held in place of one that was held before.
 * @throws {Refusal} NOT_FOUND, BLOCK_CONTENT_NOT_WRITABLE, TEST_SET_NOT_FOUND
 */
export const holdBlockContent: Part<HoldBlockContent> = {
  wants(keys, { id, version, test_set_id }) {
    keys.blocks.add(id)
    keys.versions.add(version.id)
    if (test_set_id !== null) keys.test_sets.add(test_set_id)
  },
  decide(scene, { id, version, test_set_id, by_operator }) {
    const { catalogue, now } = scene
    const block = blockIn(scene, id)
    mustWrite(block, by_operator)
    let saved = catalogue.versions.get(version.id)
    if (!saved) {
      if (test_set_id !== null && !catalogue.test_sets.has(test_set_id)) {
        throw refuse('TEST_SET_NOT_FOUND', { test_set_id })
      }
      saved = insertVersion(scene, id, version)
      write(scene, block, { held_version_id: version.id, held_test_set_id: test_set_id, held_at: now })
    }
    // The service runs the current version, so it is not told of the content yet.
    return {
      body: toBlockVersionRecord(saved),
      service_record: { kind: 'block', block: toBlockRecord(block), version: null },
    }
  },
}

/** The held version becomes the current one. @throws {Refusal} NOT_FOUND, BLOCK_CONTENT_NOT_WRITABLE, HELD_VERSION_NOT_FOUND */
export const releaseHeldVersion: Part<ReleaseHeldVersion> = {
  wants(keys, { id, version_id }) {
    keys.blocks.add(id)
    keys.versions.add(version_id)
  },
  decide(scene, { id, version_id, by_operator }) {
    const block = blockIn(scene, id)
    mustWrite(block, by_operator)
    mustHold(block, version_id)
    release(scene, block)
    return endOf(scene, block)
  },
}

/**
 * No version is held any more; the version stays in the history.
 * @throws {Refusal} NOT_FOUND, BLOCK_CONTENT_NOT_WRITABLE, HELD_VERSION_NOT_FOUND
 */
export const discardHeldVersion: Part<DiscardHeldVersion> = {
  wants: (keys, { id }) => void keys.blocks.add(id),
  decide(scene, { id, version_id, by_operator }) {
    const block = blockIn(scene, id)
    mustWrite(block, by_operator)
    mustHold(block, version_id)
    write(scene, block, NOTHING)
    return endOf(scene, block)
  },
}

/** Makes the held version the current one. */
export function release(scene: Pick<Scene, 'writes' | 'now'>, block: Block): void {
  write(scene, block, { current_version_id: block.held_version_id ?? null, ...NOTHING })
}

function blockIn({ catalogue }: Scene, id: string): Block {
  const block = catalogue.blocks.get(id)
  if (!block) throw refuse('NOT_FOUND')
  return block
}

/** Contents that operators write are theirs to release and to discard, too. */
function mustWrite({ type }: Block, by_operator = true): void {
  if (!by_operator && !blockTypes[type].content_writable) throw refuse('BLOCK_CONTENT_NOT_WRITABLE', { type })
}

function mustHold({ held_version_id }: Block, version_id: string): void {
  if (held_version_id !== version_id) throw refuse('HELD_VERSION_NOT_FOUND')
}

function write({ writes, now }: Pick<Scene, 'writes' | 'now'>, block: Block, patch: Partial<Block>): void {
  const written = { ...patch, updated_at: now }
  Object.assign(block, written)
  writes.update(Block, { _id: block._id }, written)
}

function endOf({ catalogue }: Scene, block: Block): Decided {
  const record = toBlockRecord(block)
  const version = catalogue.versions.get(block.current_version_id ?? '')
  return {
    body: { block: record },
    service_record: { kind: 'block', block: record, version: version ? toBlockVersionRecord(version) : null },
  }
}
