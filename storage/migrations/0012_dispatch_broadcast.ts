import { inTransaction, type Migration } from './step.ts'

/** Lets the broadcasts of a channel take turns, and stores messages between actors uncompressed. */
export const dispatchBroadcast: Migration = {
  name: '0012_dispatch_broadcast',
  steps: [
    inTransaction('alter table dispatch add column broadcast_id text collate "C"'),
    // A slice of a broadcast is 10 to 50 KB that live for milliseconds: compressing them cost half of storing them.
    inTransaction('alter table outbox alter column message set storage external'),
  ],
}
