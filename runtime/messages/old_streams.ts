/**
 * The former layout: a stream `<prefix>-log-<partition>` for each partition, with 16 MiB of reserved disk. Nodes of
 * that layout may still run beside those of the present one, unless they are older than leases (docs/operations.md,
 * 0021). Present nodes neither read nor fill these streams: messages between the two go through the outbox.
 */
import { DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { changeStream, streamName } from '../broker/streams.ts'

/**
 * Releases the disk reserved for the old stream of a partition, and lets its messages expire within seconds. The stream
 * stays, empty: deleting it needs a right that nats.conf does not grant, and an old node may still read it.
 *
 * Resolves to false when there is none. Rejects when the broker cannot say.
 */
export function freeOldStream(
  nats: NatsConnection,
  { prefix, replicas, partition }: { prefix: string; replicas: number; partition: number },
): Promise<boolean> {
  return changeStream(nats, {
    name: streamName(prefix, `log-${partition}`),
    subjects: [`${prefix}.log.${partition}`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: 10 * 1e9,
    max_bytes: -1,
    max_msgs: 1000,
    num_replicas: replicas,
  })
}
