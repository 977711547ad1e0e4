import t from 'tap'
import {
  changePipeline,
  type Database,
  objectId,
  PipelineStage,
  StillHeld,
  storeCompany,
  storePipeline,
  storeProject,
  Ticket,
} from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { type Owner, testDatabase } from '../support/mod.ts'

type Manager = ReturnType<Database['em']>

async function start(t: Owner) {
  const { database } = await testDatabase(t)
  const { _id: company_id } = await storeCompany(database, { name: 'Acme' })
  const limits = { minute: 60, hour: 200, day: 1000, ingest_minute: 6000 }
  const { _id: project_id } = await storeProject(database, { company_id, name: 'Support', limits })
  const stages = [{ name: 'Kept' }, { name: 'First' }, { name: 'Second' }]
  const given = { project_id, name: 'Sales', is_default: false, stages }
  const made = await storePipeline(database, given, () => {})
  const [kept, ...removed] = made.stages.map(({ _id }) => _id)
  const remove = () => changePipeline(database, made.pipeline._id, { stages: [{ _id: kept! }] }, () => {})
  const put = (em: Manager, stage_id: string) => {
    const stamps = { created_at: new Date(), updated_at: new Date() }
    const none = { is_closed: false, tag_ids: [], custom_fields: {}, version: 1 }
    return em.insert(Ticket, {
      _id: objectId(),
      company_id,
      project_id,
      chat_user: objectId(),
      stage_id,
      ...none,
      ...stamps,
    })
  }
  const left = async () => (await database.em().find(PipelineStage, { project_id, _id: removed })).length
  return { database, removed: removed.sort() as [string, string], remove, put, left }
}

const waiting = (database: Database, count: number) =>
  eventually(`${count} wait`, async () => {
    const sql = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await database.execute(sql)).length >= count
  })

t.test('moving tickets into stages in another order than the stages are removed causes no fault of ours', async (t) => {
  const { database, removed, remove, put, left } = await start(t)
  let removal: Promise<unknown> | undefined
  const putting = database.em().transactional(async (em) => {
    await put(em, removed[1])
    removal = remove().then(
      () => 'removed',
      (error) => error,
    )
    await waiting(database, 1)
    await put(em, removed[0])
  })
  const is_put = await putting.then(
    () => true,
    (error) => t.equal(error.code, '40P01', 'the other one goes on') && false,
  )
  const answer = await removal
  if (is_put) t.ok(answer instanceof StillHeld)
  else t.equal(answer, 'removed')
  t.equal(await left(), is_put ? 2 : 0, 'both or none')
})

t.test('a ticket that is put into a stage waits for its removal, and is refused', async (t) => {
  const { database, removed, remove, put, left } = await start(t)
  const locked = Promise.withResolvers<void>()
  const locking = Promise.withResolvers<void>()
  const holding = database.em().transactional(async (em) => {
    // The server ends a transaction that is idle for some seconds, and a busy machine may take longer to get here.
    await em.execute('set local idle_in_transaction_session_timeout = 0')
    await em.execute('select 1 from pipeline_stage where _id = ? for no key update', [removed[1]])
    locked.resolve()
    await locking.promise
  })
  await locked.promise
  const removal = remove()
  await waiting(database, 1)
  const putting = t.rejects(put(database.em(), removed[0]), { code: '23503', constraint: 'ticket_in_stage' })
  await waiting(database, 2)
  locking.resolve()
  await Promise.all([holding, removal, putting])
  t.equal(await left(), 0)
})
