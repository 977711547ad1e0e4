/**
 * A node that kills itself. It asks its head `link/a` for numbers, which go on to b and c, and prints each number that
 * was answered. `DIE_AT` names the moment of death, and `DIE_AFTER` the number of times the node survives it.
 */
import { writeSync } from 'node:fs'
import { Node } from '../../../runtime/mod.ts'
import { openDatabase } from '../../../storage/mod.ts'
import { linkKind } from '../support/links.ts'
import { isCommit, tapped } from '../support/tapped.ts'

const { DATABASE, NATS, PREFIX, REPLICAS, DIE_AT, DIE_AFTER } = process.env as Record<string, string>
let survived = 0

/** Notes that the moment has come. Returns true when it is the last one. */
function moment(name: string): boolean {
  return name === DIE_AT && survived++ >= Number(DIE_AFTER)
}
const die = () => process.kill(process.pid, 'SIGKILL')

const real = await openDatabase({ url: DATABASE! })
const database = tapped(real, async (sql, run) => {
  if (!isCommit(sql)) return run()
  if (moment('before the commit') || (sql.includes('lane_settle') && moment('after the publish'))) die()
  const answer = run()
  if (moment('during the commit')) setTimeout(die, Math.random() * 3)
  const rows = await answer
  if (moment('after the commit')) die()
  return rows
})
const link = linkKind('link', () => {
  if (moment('in mid-turn')) die()
})
const node = await Node.start({
  database,
  nats_url: NATS!,
  prefix: PREFIX!,
  replicas: Number(REPLICAS),
  partitions: 2,
  kinds: [link],
})
const path = [link.address('b'), link.address('c')]
if (DIE_AT === 'any time') setTimeout(die, Number(DIE_AFTER))
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (;;) writeSync(1, `${await node.ask(link.address('a'), { type: 'next', path })}\n`)
  }),
)
