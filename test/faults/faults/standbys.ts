/** A PostgreSQL that takes no writes, and standbys that are reached by mistake or promoted without the last commits. */
import { eventually, sleep } from '../../e2e/client.ts'
import { plainQuery } from '../../support/plain_query.ts'
import { between } from '../chance.ts'
import { moveTo } from '../fleet.ts'
import { busyNode, expectUnready, type Fault } from '../scene.ts'
import { type Run, within } from '../servers.ts'
import { watchService } from '../service.ts'
import { startStandby } from '../standby.ts'

const MOVED_MS = 30_000
/** Milliseconds in which a node that cannot write reports it. */
const NOTICED_MS = 5000
/** Milliseconds in which others take over from a node that cannot write. */
const TAKEN_OVER_MS = 8000

/**
 * Makes the server refuse every write while its sessions stay, as a server with a full disk does, or one after a
 * failover.
 */
const readOnly: Fault = {
  async strike(scene) {
    const { fleet, random } = scene
    const ms = between(random, 2000, 15_000)
    await within(fleet.postgres, async (run) => {
      await setReadOnly(run, 'on')
      await sleep(ms)
      if (ms > NOTICED_MS) await expectUnready(scene, fleet.nodes, `${ms} ms after PostgreSQL took the last write`)
      await setReadOnly(run, 'off')
    })
    return `for ${ms} ms`
  },
}

async function setReadOnly(run: Run, value: 'on' | 'off'): Promise<void> {
  await run(`alter system set default_transaction_read_only = ${value}`)
  await run('select pg_reload_conf()')
}

/**
 * Leads one node to a standby by the name of the primary, and the others to the primary. Then the name is set right for
 * new connections, while the standby goes on answering the old ones.
 */
const standby: Fault = {
  async strike(scene) {
    const { fleet, random, found } = scene
    const [node, ms] = [await busyNode(scene), between(random, 6000, 15_000)]
    const other = await startStandby(fleet)
    scene.afterwards(() => other.discard())
    await other.catchUp()
    const service = watchService(fleet, fleet.places)
    await node.to_postgres.leadTo(other.server.port)
    await sleep(ms)
    await expectUnready(scene, [node], `${ms} ms after it could write for the last time`)
    await node.to_postgres.leadOnTo(fleet.postgres.port)
    const { gap_ms } = await service.worst()
    const what = `${node.name} reached a standby for ${ms} ms; a tenant was not served for ${gap_ms} ms`
    if (gap_ms > TAKEN_OVER_MS) found('surprise', `others could write, and did not take over: ${what}`)
    return what
  },
}

/** Kills the primary, and promotes a standby that lacks its last commits. */
const promoted: Fault = {
  async strike({ fleet, random, forgot }) {
    const ms = between(random, 100, 3000)
    const pause = between(random, 0, 2000)
    const next = await startStandby(fleet)
    const from = Date.now()
    await next.catchUp()
    await next.stopReplication()
    await sleep(ms)
    await fleet.postgres.kill()
    await sleep(pause)
    await next.promote()
    await moveTo(fleet, next.server)
    forgot({ from, to: Date.now() })
    await eventually(
      'the new primary is reached',
      () => reached(fleet.to_postgres.through(fleet.postgres.url)),
      MOVED_MS,
    )
    return `without the last ${ms} ms, ${pause} ms after the end of the primary`
  },
}

async function reached(url: string): Promise<boolean> {
  return plainQuery(url, 'select 1').then(
    () => true,
    () => false,
  )
}

export const standbys: Record<string, Fault> = { read_only: readOnly, standby, promoted }
