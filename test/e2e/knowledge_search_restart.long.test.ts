/** The search index of a node to itself. */
import t from 'tap'
import { eventually } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'
import { addDocument, foundBy, indexed } from './knowledge_client.ts'

t.test('a node for itself', async (t) => {
  // It restarts, and its figures must not count what other files index.
  const world = await startWorld(t)

  t.test('a restart loses no change', async (t) => {
    const one = await makeTenant(world)
    const made: string[] = []
    for (let n = 0; n < 30; n++) made.push(await addDocument(one, `Page ${n}`, `The quagga number ${n}.`))
    await world.restart()
    await indexed(one, made)
    t.equal((await foundBy(one, 'quagga', { limit: 50 })).length, 30)
  })

  t.test('the queue is in the metrics', async (t) => {
    const figures = await eventually('it is empty', async () => {
      const text = await (await fetch(world.metrics_url())).text()
      return /^parley_knowledge_pending 0$/m.test(text) && text
    })
    t.match(figures, /^parley_knowledge_pending_oldest_seconds 0$/m)
    t.match(figures, /^parley_knowledge_indexed_total \d+$/m)
    t.match(figures, /^parley_knowledge_failed_total 0$/m)
    t.match(figures, /^parley_knowledge_batch_duration_seconds_count \d+$/m)
  })
})
