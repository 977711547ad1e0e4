import { blockTypes } from '../../../storage/mod.ts'
import type { Receiver } from '../turn/feature.ts'
import { release } from './held_version.ts'
import { catalogueReads } from './part.ts'

/** A run of a test set has passed with these versions. */
export type ReleaseTestedVersions = {
  type: 'release_tested_versions'
  test_set_id: string
  versions: readonly { block_id: string; version_id: string }[]
}

/**
 * Releases those of the versions that are still held, and for this set. Clients write the cases of a set, so it decides nothing about
 * contents that only operators write.
 */
export const releaseTestedVersions: Receiver<ReleaseTestedVersions> = {
  reads(reads, { versions }) {
    const { blocks } = reads.of(catalogueReads)
    for (const { block_id } of versions) blocks.add(block_id)
  },
  receive(turn, { test_set_id, versions }) {
    const { blocks } = turn.records.of(catalogueReads)
    for (const { block_id, version_id } of versions) {
      const block = blocks.get(block_id)
      const is_held = block?.held_version_id === version_id && block.held_test_set_id === test_set_id
      if (block && is_held && blockTypes[block.type].content_writable) release({ writes: turn, now: turn.now }, block)
    }
  },
}
