/** The project's part of bulk sends: it creates the broadcast, and the contacts and messages of its slices. */
import type { Feature } from '../turn/feature.ts'
import { broadcastEnded } from './broadcast_ended.ts'
import { bulkSlice } from './bulk_slice.ts'
import { createBroadcast } from './create_broadcast.ts'
import { withdrawBulk } from './withdraw_bulk.ts'

export const broadcasts = {
  changes: { create_broadcast: createBroadcast },
  receivers: { bulk_slice: bulkSlice, withdraw_bulk: withdrawBulk, broadcast_ended: broadcastEnded },
} satisfies Feature
