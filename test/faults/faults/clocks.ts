/** A node whose wall clock is an hour or a month off, set right in mid-run. */
import { sleep } from '../../parley/client.ts'
import { between } from '../chance.ts'
import { anyNode, anyOf, type Fault } from '../scene.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const OFFSETS = {
  'an hour ahead': HOUR_MS,
  'an hour behind': -HOUR_MS,
  '31 days ahead': 31 * DAY_MS,
  '31 days behind': -31 * DAY_MS,
}

/** `started`: off from its start on, by a machine whose clock was never set; else it jumps while the node works. */
function clock(started: boolean): Fault {
  return {
    async strike(scene) {
      const { random } = scene
      const node = anyNode(scene)
      const off = anyOf(random, Object.keys(OFFSETS) as (keyof typeof OFFSETS)[])
      const ms = between(random, 3000, 10_000)
      scene.skewed()
      if (started) await node.end('SIGTERM')
      await node.shiftClock(OFFSETS[off])
      try {
        if (started) await node.start()
        await sleep(ms)
      } finally {
        await node.shiftClock(0)
      }
      return `${node.name} ${off}${started ? ' from its start on' : ''}, for ${ms} ms`
    },
  }
}

export const clocks: Record<string, Fault> = { 'clock:jump': clock(false), 'clock:start': clock(true) }
