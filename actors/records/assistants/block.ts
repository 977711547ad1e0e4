/** The instruction block and the versions of its content, as the API shows them. */
import * as v from 'valibot'
import {
  type AttachedBlock,
  type Block,
  type BlockVersion,
  blockFamilies,
  blockTypeNames,
  blockTypes,
} from '../../../storage/mod.ts'
import { type InMemory, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'

export const blockType = v.picklist(blockTypeNames)

/** Columns that the record shows as they are stored. */
const columns = v.object({
  _id: recordId,
  name: v.string(),
  type: blockType,
  is_archived: v.boolean(),
  current_version_id: v.pipe(v.nullable(recordId), v.description('Null until the content is saved')),
  created_at: timestamp,
  updated_at: timestamp,
})

export const blockRecord = named(
  'Block',
  v.object({
    ...columns.entries,
    family: v.picklist(blockFamilies),
    content_writable: v.pipe(v.boolean(), v.description('False for types whose content only operators write')),
    held_version: v.pipe(
      v.nullable(v.object({ version_id: recordId, test_set_id: v.nullable(recordId), created_at: timestamp })),
      v.description(
        'A version that is not the current one until it is released, by a run of the test set if there is one',
      ),
    ),
  }),
)

export type BlockRecord = InMemory<v.InferOutput<typeof blockRecord>>

export function toBlockRecord(row: Block): BlockRecord {
  return { ...valuesOf(columns, row), ...blockTypes[row.type], held_version: heldVersionOf(row) }
}

function heldVersionOf({ held_version_id, held_test_set_id = null, held_at }: Block): BlockRecord['held_version'] {
  if (!held_version_id || !held_at) return null
  return { version_id: held_version_id, test_set_id: held_test_set_id, created_at: held_at }
}

/** A block as a part of an assistant. */
export const attachedBlock = named('AttachedBlock', v.object({ ...blockRecord.entries, order: v.number() }))

export type AttachedBlockRecord = InMemory<v.InferOutput<typeof attachedBlock>>

export function toAttachedBlockRecord({ order, ...row }: AttachedBlock): AttachedBlockRecord {
  return { ...toBlockRecord(row), order }
}

const editMode = v.picklist(['free', 'assisted'])

/** A version in a list: without its content, of which a page of 200 could have 80 MB. */
export const blockVersionSummary = named(
  'BlockVersionSummary',
  v.object({ _id: recordId, block_id: recordId, edit_mode: editMode, created_at: timestamp }),
)

export const blockVersionRecord = named(
  'BlockVersion',
  v.object({
    ...blockVersionSummary.entries,
    content: v.optional(v.pipe(v.string(), v.description('The text, when edit_mode is free'))),
    payload: v.optional(
      v.pipe(v.record(v.string(), v.unknown()), v.description('The items, when edit_mode is assisted')),
    ),
  }),
)

export type BlockVersionRecord = InMemory<v.InferOutput<typeof blockVersionRecord>>

/** Has `content` or `payload`, depending on the mode. */
export function toBlockVersionRecord(row: BlockVersion): BlockVersionRecord {
  const text = row.edit_mode === 'free' ? { content: row.content ?? '' } : { payload: row.payload ?? {} }
  return { ...valuesOf(blockVersionSummary, row), ...text }
}
