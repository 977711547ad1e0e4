/** The files that Parley keeps for a project, filled up by the database because uploads would take too long. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { callOf, makeKeptTenant, upload } from '../http/media_client.ts'
import { files } from '../http/media_files.ts'
import { visitPage } from '../http/visitor_page.ts'
import { TEST_SECRET } from '../support/mod.ts'
import { eventually } from './client.ts'
import { joinWorld, made, type Tenant } from './fixture.ts'

const MAX_FILES = 100_000
const MAX_BYTES = 100 * 1024 ** 3
/** The largest size that a row can have. */
const MAX_SIZE = 2 ** 31 - 1

const world = await joinWorld(t)
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 1 })
t.teardown(() => database.close())

let filled = 0

async function fill({ company_id, project_id }: Tenant, count: number, file_size: number): Promise<void> {
  const first = 16 ** 6 + filled
  filled += count
  await database.execute(`
    insert into media (media_id, company_id, project_id, mime_type, file_size, sha256, blob_key, expires_at)
    select lpad(to_hex(n), 24, '0'), '${company_id}', '${project_id}', 'image/png', ${file_size}, '', n,
      now() + interval '1 day'
    from generate_series(${first}, ${first + count - 1}) n`)
}

const note = (tenant: Tenant) => {
  const form = new FormData()
  form.set('file', new File(['# Shipping'], 'shipping.md'))
  return callOf(form).then((call) => tenant.api('POST', 'knowledge/nodes/import', undefined, call))
}

t.test('an upload beyond the bytes that a project may have is refused until there is room', async (t) => {
  const tenant = await makeKeptTenant(world)
  const other = await makeKeptTenant(world)
  const full = Math.floor(MAX_BYTES / MAX_SIZE)
  await fill(tenant, full, MAX_SIZE)
  await fill(tenant, 1, MAX_BYTES - full * MAX_SIZE)
  const details = { files: full + 1, bytes: MAX_BYTES, most_files: MAX_FILES, most_bytes: MAX_BYTES }
  for (const answer of [await upload(tenant, files.png), await note(tenant)]) {
    t.match(answer, { status: 422, body: { error: { code: 'MEDIA_LIMIT_REACHED', details } } })
  }
  t.equal((await upload(other, files.png)).status, 200, 'another project has its own room')
  await database.execute(`delete from media where project_id = '${tenant.project_id}' and file_size < ${MAX_SIZE}`)
  await database.execute(
    `delete from media where media_id = (select min(media_id) from media where project_id = '${tenant.project_id}')`,
  )
  const stored = await upload(tenant, files.png)
  t.equal(stored.status, 200)
  t.equal((await note(tenant)).status, 202)
})

t.test('a project has 100,000 files at most, and visitors leave half of them to it', async (t) => {
  const tenant = await makeKeptTenant(world)
  const credentials = { visitor_secret: 'the secret of the visitors' }
  const fields = { project_id: tenant.project_id, channel_type: 'web', provider: 'cloud', name: 'Shop', credentials }
  const channel = (await made(world.operator('POST', 'channels', fields)))._id
  const visitor = await visitPage(t, { base_url: world.base_url, channel })
  const send = async () => {
    const { path } = await visitor.ask('upload', { size: files.png.length, filename: 'a.png' })
    return world.http('POST', `${world.base_url}/${path}`, { raw: files.png })
  }
  await fill(tenant, MAX_FILES / 2 - 1, 1)
  t.equal((await send()).status, 200)
  t.match(await send(), { status: 507, body: { error: { code: 'FILES_FULL' } } })
  t.equal((await upload(tenant, files.png)).status, 200)
  await fill(tenant, MAX_FILES / 2 - 2, 1)
  // The node counts again in a few seconds: these files did not come over it.
  const answer = await eventually('an upload is refused', async () => {
    const answer = await upload(tenant, files.png)
    return answer.status !== 200 && answer
  })
  t.match(answer, { status: 422, body: { error: { code: 'MEDIA_LIMIT_REACHED' } } })
})
