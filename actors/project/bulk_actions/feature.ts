/**
 * Bulk actions: one change of all tickets that match a filter, in slices.
 *
 *  B1 The tickets are chosen once, when an agent asks, and stored in slices. Each is done once: the turn that changes the
 *     tickets of a slice also counts them and deletes the slice. A slice that is not the next one changes nothing.
 *  B2 A ticket is changed by the command that a request for this ticket alone would be, with the same refusals. A refused
 *     ticket stays as it is, and the action goes on.
 *  B3 An action survives the death of any node: a durable timer looks for actions whose slices nobody fetches.
 *  B4 Slices are small, and make room for requests of clients and messages of people.
 *  B5 An action stops when it is cancelled, and when its user is no agent any more.
 */
import type { Feature } from '../turn/feature.ts'
import { beginBulkAction } from './begin_bulk_action.ts'
import { bulkActionSlice } from './bulk_action_slice.ts'
import { cancelBulkAction } from './cancel_bulk_action.ts'
import { runBulkActions } from './run_bulk_actions.ts'

export const bulkActions = {
  commands: { cancel_bulk_action: cancelBulkAction },
  changes: { begin_bulk_action: beginBulkAction },
  receivers: { bulk_action_slice: bulkActionSlice, run_bulk_actions: runBulkActions },
} satisfies Feature
