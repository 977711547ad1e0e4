/** A node whose wall clock is an hour or a month off, and is set right while the node works. */
import { sleep } from '../../e2e/client.ts'
import { between } from '../chance.ts'
import type { ParleyNode } from '../node.ts'
import { anyNode, anyOf, type Fault, type Scene } from '../scene.ts'
import { watchService } from '../service.ts'

const HOUR_MS = 3_600_000
/** Milliseconds in which the living node serves the partitions of dead ones. */
const TAKEN_OVER_MS = 7500
const DAY_MS = 24 * HOUR_MS
const OFFSETS = {
  'an hour ahead': HOUR_MS,
  'an hour behind': -HOUR_MS,
  '31 days ahead': 31 * DAY_MS,
  '31 days behind': -31 * DAY_MS,
}

/**
 * With `started` the clock is off from the start of the node, like a machine's whose clock was never set; otherwise it
 * jumps while the node works. Then the clock is set right. In half of the cases the other nodes die, so that this node
 * has to take over at once.
 */
function clock(started: boolean): Fault {
  return {
    async strike(scene) {
      const { random } = scene
      const node = anyNode(scene)
      const off = anyOf(random, Object.keys(OFFSETS) as (keyof typeof OFFSETS)[])
      const ms = between(random, 3000, 10_000)
      const alone_ms = random() < 0.5 ? between(random, 8000, 12_000) : 0
      scene.skewed()
      if (started) await node.end('SIGTERM')
      await node.shiftClock(OFFSETS[off])
      try {
        if (started) await node.start()
        await sleep(ms)
      } finally {
        await node.shiftClock(0)
      }
      const then = alone_ms === 0 ? '' : `, then alone for ${alone_ms} ms: ${await leaveAlone(scene, node, alone_ms)}`
      return `${node.name} ${off}${started ? ' from its start on' : ''} for ${ms} ms${then}`
    },
  }
}

async function leaveAlone({ fleet, found }: Scene, node: ParleyNode, ms: number): Promise<string> {
  const others = fleet.nodes.filter((one) => one !== node)
  const service = watchService(fleet, fleet.places)
  await Promise.all(others.map((one) => one.end('SIGKILL')))
  await sleep(ms)
  const { gap_ms } = await service.worst()
  await Promise.all(others.map((one) => one.start()))
  const what = `a tenant was not served for ${gap_ms} ms`
  if (gap_ms > TAKEN_OVER_MS) found('surprise', `${node.name}, its clock set right, took over late: ${what}`)
  return what
}

export const clocks: Record<string, Fault> = { 'clock:jump': clock(false), 'clock:start': clock(true) }
