/** Files of notes: kept by Parley whatever the channels, shown with the note, exported and erased with its person. */
import t from 'tap'
import { noteRoutes } from '../../http/routes/customers/notes.ts'
import { upload } from '../http/media_client.ts'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator, sink } = world
const tenant = await makeTenant(world)
const other = await makeTenant(world)

const nobody = 'f'.repeat(24)
const write = (fields: Json, by = tenant) => by.api('POST', 'crm/notes', { content: 'See the files', ...fields })
const fileOf = async (text: string, by = tenant): Promise<string> =>
  (await made(upload(by, Buffer.from(text), { filename: `${text}.txt`, purpose: 'note' }))).media_id
const isKept = async (media_id: string) =>
  (await tenant.api('GET', `media/${media_id}?phone_number_id=none`)).status === 200
let count = 0
const addContact = () =>
  made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: String(5215519990000 + ++count) }))

t.test('a note has the files that it names, wherever it is shown', async (t) => {
  await tenant.subscribe('files', ['crm.note.created'])
  const files = [await fileOf('invoice'), await fileOf('receipt')]
  const note = await made(write({ chat_user: nobody, media_ids: [...files, files[0]] }))
  const attachments = files.map((media_id, at) => {
    return { media_id, filename: `${['invoice', 'receipt'][at]}.txt`, mime_type: 'text/plain', file_size: 7 }
  })
  t.same(note.attachments, attachments, 'each once, in the order of the request')
  t.same((await made(tenant.api('GET', `crm/notes/${note._id}`))).attachments, attachments)
  t.same((await made(tenant.api('GET', `crm/notes?chat_user=${nobody}`))).data[0].attachments, attachments)
  const told = await eventually('it is told', () => sink.calls('files').find(({ body }) => body.data._id === note._id))
  t.same(told.body.data.attachments, attachments)
})

t.test('agents write notes with files, and download them', async (t) => {
  const { call } = await signIn(world, await makeAgent(world, tenant))
  const media_id = await fileOf('plan')
  const note = await made(
    call('POST', `projects/${tenant.project_id}/crm/notes`, {
      json: { content: 'x', chat_user: nobody, media_ids: [media_id] },
    }),
  )
  t.match(note, { attachments: [{ media_id, filename: 'plan.txt' }], mentions: [] })
  const download = await call('GET', `projects/${tenant.project_id}/media/${media_id}/download?phone_number_id=none`)
  t.equal(download.status, 200)
})

t.test('a file that Parley does not keep for the project is refused, and nothing is written', async (t) => {
  const at_provider = (await made(upload(tenant, Buffer.from('x'), { filename: 'x.txt' }))).media_id
  const contact = await addContact()
  for (const media_id of [nobody, await fileOf('theirs', other), at_provider]) {
    const { status, body } = await write({ chat_user: contact._id, media_ids: [await fileOf('mine'), media_id] })
    t.match({ status, ...body.error }, { status: 422, code: 'MEDIA_NOT_FOUND', details: { media_id } })
  }
  const cases: [path: string, media_ids: unknown][] = [
    ['media_ids.0', ['x']],
    ['media_ids', Array.from({ length: 11 }, () => nobody)],
    ['media_ids', 'x'],
  ]
  for (const [path, media_ids] of cases) {
    const { status, body } = await write({ chat_user: contact._id, media_ids })
    t.equal(status, 400)
    t.match(body.error.details.violations, [{ path }])
  }
  t.same((await made(tenant.api('GET', `crm/notes?chat_user=${contact._id}`))).data, [])
})

t.test('files of notes are exported and erased with the person, except those of notes on others', async (t) => {
  const [ana, bob] = [await addContact(), await addContact()]
  const [own, shared] = [await fileOf('own'), await fileOf('shared')]
  await made(write({ chat_user: ana._id, media_ids: [own, shared] }))
  await made(write({ chat_user: bob._id, media_ids: [shared] }))
  const done = async (path: string, body: Json) => {
    const { _id } = await made(operator('POST', path, body))
    return eventually(`${path} are done`, async () => {
      const one = await made(operator('GET', `${path}/${_id}`))
      return one.status === 'done' ? one : undefined
    })
  }
  const exported = await done('exports', { kind: 'contact', id: ana._id })
  t.match(exported.counts, { note: 1, media: 2 })
  const erased = await done('erasures', { kind: 'contact', id: ana._id, confirm: true })
  t.match(erased.counts, { note: 1, media: 1 })
  t.equal(await isKept(own), false)
  t.equal(await isKept(shared), true)
})

t.test('an owner of an earlier release refuses a note with files instead of leaving them out', (t) => {
  const [create] = noteRoutes.filter(({ operation }) => operation === 'create_note')
  const command = (body: Json) => (create!.command as (request: Json) => Json)({ body }).type
  t.equal(command({ content: 'x', media_ids: [] }), 'create_note')
  t.equal(command({ content: 'x', media_ids: [nobody] }), 'create_note_with_files')
  t.end()
})
