/** Slow work that fails is started again, whatever its actor was doing at that moment. */
import { setImmediate as afterMicrotasks } from 'node:timers/promises'
import t from 'tap'
import { defineActor, type Turn } from '../../runtime/mod.ts'
import { testDatabase, testNats } from '../support/mod.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

type Worker = {
  begin: { message: object; reply: null }
  touch: { message: object; reply: null }
  wake: { message: object; reply: undefined }
  finished: { message: object; reply: undefined }
  read: { message: object; reply: boolean }
}
type Job = { is_open: boolean }

/** Makes an actor that does one job. `work` is given the number of the run; its end finishes the job. */
function workerOf(work: (run: number) => Promise<void>) {
  const counts = { runs: 0, ends: 0 }
  const busy = new WeakSet<Job>()
  const start = (turn: Turn<Job>) => {
    busy.add(turn.state)
    turn.work(async () => {
      await work(++counts.runs)
      return { type: 'finished' }
    })
  }
  const worker = defineActor<Worker, Job>({
    kind: 'worker',
    create: () => ({ is_open: false }),
    receive: {
      begin(turn) {
        turn.state.is_open = true
        turn.save()
        start(turn)
        return null
      },
      touch(turn) {
        turn.save()
        return null
      },
      wake(turn) {
        if (turn.state.is_open && !busy.has(turn.state)) start(turn)
      },
      finished(turn) {
        turn.state.is_open = false
        counts.ends++
        turn.save()
      },
      read: (turn) => turn.state.is_open,
    },
  })
  return { worker, counts }
}

t.test('work that fails during the commit of its actor is started again', async (t) => {
  const [{ database }, nats] = [await testDatabase(t), await testNats(t)]
  let held: Promise<void> | undefined
  let waiting = 0
  const commit: typeof database.commit = async (...args) => {
    if (held) {
      waiting++
      await held
    }
    return database.commit(...args)
  }
  const [failing, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { worker } = workerOf(async (run) => {
    if (run > 1) return
    await failing.promise
    throw new Error('a fault of the work')
  })
  const node = await startNode(t, { database: { ...database, commit }, nats }, [worker])
  const address = worker.address('a')
  await node.ask(address, { type: 'begin' })
  held = committing.promise
  const touched = node.ask(address, { type: 'touch' })
  await until(() => waiting > 0)
  failing.resolve()
  await afterMicrotasks()
  held = undefined
  committing.resolve()
  await touched
  await until(async () => !(await node.ask(address, { type: 'read' })))
})

t.test('a result that waits while the state is thrown away ends its work, which does not begin again', async (t) => {
  const [{ database }, nats] = [await testDatabase(t), await testNats(t)]
  const [working, refusing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let is_held = false
  let waiting = 0
  const commit: typeof database.commit = async (...args) => {
    if (!is_held) return database.commit(...args)
    waiting++
    await refusing.promise
    is_held = false
    throw Object.assign(new Error('refused'), { code: '23505' })
  }
  const { worker, counts } = workerOf(() => working.promise)
  const node = await startNode(t, { database: { ...database, commit }, nats }, [worker])
  const address = worker.address('a')
  await node.ask(address, { type: 'begin' })
  await until(() => counts.runs === 1)
  is_held = true
  const touched = node.ask(address, { type: 'touch' })
  await until(() => waiting > 0)
  working.resolve()
  await afterMicrotasks()
  refusing.resolve()
  await touched
  await until(async () => !(await node.ask(address, { type: 'read' })))
  // The actor has had all messages that came before this question.
  await node.ask(address, { type: 'touch' })
  t.strictSame(counts, { runs: 1, ends: 1 })
})
