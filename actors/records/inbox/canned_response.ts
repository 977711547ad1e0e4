/** The canned response as agents and operators see and write it. */
import * as v from 'valibot'
import type { CannedResponse } from '../../../storage/mod.ts'
import {
  type InMemory,
  line,
  maxCharacters,
  named,
  recordId,
  shortName,
  timestamp,
  valuesOf,
  writtenText,
} from '../../schema/mod.ts'
import { ownership, ownershipOf } from '../ownership.ts'

const MAX_SHORTCUT_LENGTH = 50
const MAX_TITLE_LENGTH = 100
const MAX_TEXT_LENGTH = 4096

const content = v.pipe(
  v.string(),
  maxCharacters(MAX_TEXT_LENGTH),
  v.check((text) => text.trim() !== '', 'must not be empty'),
)

/** Columns that agents and operators write, within their bounds. */
export const cannedResponseFields = v.strictObject({
  shortcut: writtenText(shortName(MAX_SHORTCUT_LENGTH)),
  content: writtenText(content),
  title: v.nullable(writtenText(line(MAX_TITLE_LENGTH))),
})

/** Columns that the record shows as they are stored. */
const columns = v.object({
  _id: recordId,
  ...cannedResponseFields.entries,
  created_at: timestamp,
  updated_at: timestamp,
})

export const cannedResponseRecord = named('CannedResponse', v.object({ ...columns.entries, ...ownership.entries }))

export type CannedResponseRecord = InMemory<v.InferOutput<typeof cannedResponseRecord>>

/** `full_name`: name of the author. */
export function toCannedResponseRecord(row: CannedResponse & { full_name?: string | null }): CannedResponseRecord {
  return { ...valuesOf(columns, row), ...ownershipOf(row, row.full_name) }
}

/** The same of operators, who see those that agents share. */
export const operatorCannedResponse = named(
  'OperatorCannedResponse',
  v.object({
    ...columns.entries,
    company_id: recordId,
    project_id: recordId,
    created_by: v.pipe(v.nullable(recordId), v.description('The agent; null for an operator, and for a deleted user')),
  }),
)
