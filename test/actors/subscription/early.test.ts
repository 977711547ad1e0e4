/** Deliveries that reach their subscription before the turn of the project that created them is committed. */
import { setImmediate, setTimeout } from 'node:timers/promises'
import t from 'tap'
import type { Node } from '../../../runtime/mod.ts'
import { until } from '../../runtime/support/wait.ts'
import { startTenant } from './tenant_node.ts'

/** Waits until the project and the subscription have decided since `turns`; a turn from before may still come between. */
async function decided(node: Node, turns: number): Promise<void> {
  await until(() => node.stats().scheduler.turns >= turns + 2 && node.stats().scheduler.early > 0)
  await setTimeout(200)
}

t.test('an event in the turn that creates its subscription is delivered', async (t) => {
  const { node, hold, happen, subscribe, delivered, posted, commits } = await startTenant(t)
  await subscribe('first')
  await happen({ n: 1 })
  await delivered(1)
  const open = hold()
  const before = commits.length
  const busy = happen({ n: 2 })
  await until(() => commits.length > before)
  // The next turn has both; its commit waits until its early messages have been received.
  const together = [subscribe('second'), happen({ n: 3 })]
  const openNext = hold()
  open()
  await until(() => node.stats().scheduler.early >= 2)
  await setTimeout(200)
  openNext()
  await Promise.all([busy, ...together])
  await delivered(4)
  t.equal(posted.filter(({ url }) => url.endsWith('second')).length, 1)
})

t.test('a delivery with a lower id than one from another node is attempted', async (t) => {
  const { node, hold, happen, subscribe, delivered, database, project_id } = await startTenant(t)
  const { id } = await subscribe('first')
  // Another node made this delivery a moment ago, in the same second or with a clock that was ahead.
  const theirs = `${Math.floor(Date.now() / 1000 + 5).toString(16)}${'f'.repeat(16)}`
  await database.execute(`insert into event (id, project_id, type, data, subscription_ids, created_at)
    values ('evt_${theirs}', '${project_id}', 'crm.note.created', '{}', '{${id}}', now())`)
  await database.execute(`insert into delivery
      (id, subscription_id, project_id, event_id, event_type, is_test, next_attempt_at, created_at)
    values ('dlv_${theirs}', '${id}', '${project_id}', 'evt_${theirs}', 'crm.note.created', false, now(), now())`)
  await happen({ n: 1 })
  await delivered(2)
  const open = hold()
  const { turns } = node.stats().scheduler
  const happened = happen({ n: 2 })
  // The subscription has decided before the delivery is in the table.
  await decided(node, turns)
  open()
  await happened
  await delivered(3)
})

t.test('a delivery whose result came as its subscription was undone with a sender at fault ends', async (t) => {
  const { node, hold, happen, subscribe, delivered, answerWith, posted } = await startTenant(t)
  await subscribe('first')
  let end = () => {}
  answerWith(
    () =>
      new Promise((resolve) => {
        end = () => resolve({})
      }),
  )
  await happen({ n: 1 })
  await until(() => posted.length === 1)
  const open = hold()
  const { turns } = node.stats().scheduler
  const refused = t.rejects(happen({ n: 2 }, true))
  await decided(node, turns)
  answerWith(() => ({}))
  end()
  await setImmediate()
  open()
  await refused
  t.ok(node.stats().lane.retracted > 0)
  await delivered(1)
})
