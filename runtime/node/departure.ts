/**
 * The departure of a node: it gives its partitions away, finishes what is under way, and leaves the cluster and the
 * broker. A node whose start has failed departs, too, without the parts that it has not made.
 */

import type { FullReceivers } from '../messages/full_receivers.ts'
import { type Clock, sleep } from '../time/clock.ts'
import { within } from '../time/time_limit.ts'
import type { Engine } from './engine.ts'
import type { NodePorts } from './node_options.ts'
import type { Ownership } from './ownership.ts'

/** Maximum wait for the broker at each step. */
const BROKER_MS = 1000
const LOOK_MS = 5

type Parts = {
  node: string
  clock: Clock
  ports: NodePorts
  full: FullReceivers | undefined
  engine: Engine | undefined
  ownership: Ownership | undefined
}

/** `ms` bounds each wait, `calls_ms` the wait for calls that must not be aborted. */
export async function depart(parts: Parts, ms: number, calls_ms: number): Promise<void> {
  const { node, clock, ports, full, engine, ownership } = parts
  const { store, broker, transport, announcer } = ports
  if (ownership?.coordination) {
    await ownership.coordination.leave(ms)
    // Callers here hear from the next owners.
    for (const end = clock.monotonic() + ms; engine!.asks.waiting > 0 && clock.monotonic() < end; )
      await sleep(clock, LOOK_MS)
  }
  engine?.timers.stop()
  engine?.owned_partitions.closeInboxes()
  await engine?.scheduler.drain(ms)
  await within(calls_ms, engine?.scheduler.calls(), clock)
  engine?.lane.stop()
  await within(ms, engine?.lane.flush(), clock)
  engine?.scheduler.stop()
  await engine?.line.stop()
  announcer.stop()
  if (transport.up) await within(BROKER_MS, broker.flush(), clock)
  await within(BROKER_MS, transport.stop(), clock)
  const held = [...(engine?.epochs ?? [])].map(([id, epoch]) => ({ id, epoch }))
  await within(ms, store.release(node, held), clock)
  engine?.epochs.clear()
  await ownership?.coordination?.end(ms)
  ownership?.stop()
  full?.stop()
  if (transport.up) await within(BROKER_MS, broker.flush(), clock)
  await within(BROKER_MS, broker.close(), clock)
}
