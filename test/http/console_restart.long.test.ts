/** The state of the console's page after a restart of the server. */
import t from 'tap'
import { countsOf, people, sendBulk } from '../e2e/broadcast_client.ts'
import { eventually } from '../e2e/client.ts'
import { startWorld } from '../e2e/fixture.ts'
import { officeIn, openSignedIn, setPace, shownIn } from './console_tab.ts'

t.test('the page reads again the records that a restarted node forgot', async (t) => {
  // The node restarts.
  const world = await startWorld(t)
  const office = await officeIn(world)
  const { tenant } = office
  await setPace(office, 20)
  const { store, isLive } = await openSignedIn(t, office)
  const id = await sendBulk(tenant, people(120, 200))
  await eventually('it is shown', () => (shownIn(store, id)?.pending_count ?? 120) < 120)
  await world.restart()
  await isLive()
  await setPace(office, 80)
  await eventually('it has ended', () => shownIn(store, id).status === 'completed')
  await eventually('it is as the API says', async () => {
    const { body } = await tenant.api('GET', `messages/bulk/${id}`)
    return String(countsOf(body)) === String(countsOf(shownIn(store, id)))
  })
})
