/** A node that takes a project over knows where its assistants answer. */
import t from 'tap'
import { deployed, openHours, someone, written } from './deployed_client.ts'
import { made, makeTenant, startWorld } from './fixture.ts'

t.test('deployments, switched off assistants and office hours are known after a restart', async (t) => {
  // Memory is empty after the restart of a node of its own.
  const world = await startWorld(t)
  const [always, closed, off] = [await makeTenant(world), await makeTenant(world), await makeTenant(world)]
  await deployed(always, [{ answers: 'always' }])
  await deployed(closed, [{ answers: 'outside_hours' }])
  await openHours(world, closed, false)
  const assistant = await deployed(off, [{ answers: 'always' }])
  await made(off.api('PATCH', `assistants/${assistant}`, { is_active: false }))
  await world.restart()
  t.equal((await written(always, someone())).is_given, true)
  t.equal((await written(closed, someone())).is_given, true)
  t.equal((await written(off, someone())).is_given, false)
  await made(off.api('PATCH', `assistants/${assistant}`, { is_active: true }))
  t.equal((await written(off, someone())).is_given, true)
})
