import { inTransaction, type Migration } from './step.ts'

/**
 * Requests under one idempotency key are the same when their bodies are the same JSON value. Nodes of the release before
 * know the hash of the bytes alone, and leave this one empty.
 */
export const requestValues: Migration = {
  name: '0056_request_values',
  steps: [inTransaction('alter table idempotency add column value_hash text collate "C"')],
}
