/** Commands that wait for an answer of a Parley that restarts meanwhile. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makeTenant, startWorld } from '../e2e/fixture.ts'
import { tempDir } from '../support/mod.ts'
import { fileFor, ORDER } from './broadcast_file.ts'
import { startHere } from './command.ts'
import { failDeliveries } from './failed_deliveries.ts'

// The node restarts.
const world = await startWorld(t)

t.test('sending and watching a broadcast wait for a restart of the server', async (t) => {
  const tenant = await makeTenant(world)
  const env = { PARLEY_BASE_URL: world.base_url, PARLEY_TOKEN: tenant.token }
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second: 100 })
  const file = join(tempDir(t), 'people.csv')
  writeFileSync(file, fileFor(200))
  const watching = startHere(t, ['broadcast', 'send', '--csv', file, ...ORDER, '--watch'], { env })
  await watching.until(/ of 200 \(/, 'err')
  await world.restart()
  const { code, out, err } = await watching.end()
  t.equal(code, 0, err)
  t.match(out, /, of 200\.\n$/)
  t.notMatch(err, 'Nobody answers')
  t.equal(new Set((await tenant.sent()).map(({ recipient }) => recipient)).size, 200)
})

t.test('the recovery of a webhook waits for a restart of the server', async (t) => {
  const tenant = await makeTenant(world)
  const env = { PARLEY_BASE_URL: world.base_url, PARLEY_TOKEN: tenant.token }
  // More than a recovery queues at once.
  const id = await failDeliveries(world, tenant, 250)
  // A receiver that does not answer holds the recovery up after its first page.
  world.sink.answer('recovered', () => 'hang')
  const held = startHere(t, ['webhooks', 'recover', id, '--since', '1h'], { env })
  await held.until(/ of 250 \(/, 'err')
  await world.restart()
  await tenant.api('PATCH', `webhooks/${id}`, { is_active: false })
  const cancelled = await held.end()
  const end = `cancelled after \\d+ deliveries: ${id} is switched off\\.\n$`
  t.match(cancelled, { code: 1, out: '', err: new RegExp(end) })
  t.notMatch(cancelled.err, 'Nobody answers')
})
