/** Uploads whose node is killed at any line between the first byte and the answer. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { sleep } from './client.ts'
import { makeTenant } from './fixture.ts'
import { ended, importFile, nodeOf } from './import_client.ts'
import { startKillable } from './killable.ts'

const KILLS = 4
const FILES = 12
const STEP_MS = 40

t.test('an upload that is repeated after a kill makes one document, and no file stays for ever', async (t) => {
  const world = await startKillable(t)
  const tenant = await makeTenant(world)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const upload = (n: number) => importFile(tenant, `# Page ${n}\n\n${'text '.repeat(5_000)}`, { filename: `${n}.md` })
  const all = Array.from({ length: FILES }, (_, n) => n)
  let broken = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const uploads = Promise.allSettled(all.map(upload))
    await sleep(STEP_MS * (kill + 1))
    await world.process().end('SIGKILL')
    broken += (await uploads).filter((one) => one.status === 'rejected' || one.value.status !== 202).length
    await world.start()
  }
  t.ok(broken > 0, `${broken} uploads were broken off`)
  const ids = new Set<string>()
  for (const n of all) {
    const { status, body } = await upload(n)
    t.equal(status, 202)
    ids.add(body._id)
    t.match(await ended(tenant, body._id), { status: 'done', error: null })
    t.match(await nodeOf(tenant, body._id), { name: `Page ${n}` })
  }
  const nodes = await database.execute<{ _id: string }>('select _id from knowledge_node')
  t.same(new Set(nodes.map(({ _id }) => _id)), ids, 'there is one document for each name')
  t.equal(ids.size, FILES)
  t.same(
    await database.execute(`select * from media where expires_at is null or expires_at > now() + interval '1 hour'`),
    [],
    'every file ends within the hour',
  )
  t.same(
    await database.execute(`select * from knowledge_import where status <> 'done' or media_id is not null`),
    [],
    'nothing is left to do',
  )
})
