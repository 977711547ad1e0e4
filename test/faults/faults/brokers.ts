/** Two brokers that do not know of each other, with one database behind their nodes. */
import { sleep } from '../../e2e/client.ts'
import { between } from '../chance.ts'
import { type Fleet, PARTITIONS } from '../fleet.ts'
import { anyNode, type Fault } from '../scene.ts'
import { startNats } from '../servers.ts'
import { watchService } from '../service.ts'

/** The most changes of owners: each partition goes away once and comes back once, and as often again on the way. */
const CHANGES = 4 * PARTITIONS
const SERVED_MS = 10_000

async function takeovers({ database }: Fleet): Promise<number> {
  const [row] = await database.execute<{ count: number }>('select count(*)::int as count from audit_owner')
  return row!.count
}

export const brokers: Record<string, Fault> = {
  brokers: {
    async strike(scene) {
      const { fleet, random, found } = scene
      const [node, ms] = [anyNode(scene), between(random, 5000, 20_000)]
      const undos: (() => unknown)[] = []
      const other = await startNats({ teardown: (undo) => undos.push(undo) })
      const before = await takeovers(fleet)
      const service = watchService(fleet, fleet.places)
      try {
        await node.to_nats.leadTo(other.port)
        await sleep(ms)
      } finally {
        await node.to_nats.leadTo(fleet.nats.port)
      }
      const changes = (await takeovers(fleet)) - before
      for (const undo of undos.reverse()) await undo()
      const { gap_ms } = await service.worst()
      const what = `${node.name} at another broker for ${ms} ms, ${changes} takeovers, longest wait ${gap_ms} ms`
      if (changes > CHANGES) found('surprise', `partitions changed hands again and again: ${what}`)
      if (gap_ms > SERVED_MS) found('surprise', `neither side served a tenant: ${what}`)
      return what
    },
  },
}
