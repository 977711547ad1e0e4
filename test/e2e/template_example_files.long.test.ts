/** Files of the project as examples of a template's header, which Parley uploads to the provider. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { upload } from '../http/media_client.ts'
import { files } from '../http/media_files.ts'
import type { Answer, Json } from './client.ts'
import { connectNumber, made, makeTenant, startWorld, type Tenant } from './fixture.ts'

// A node of its own: the provider of this file has faults.
const world = await startWorld(t)

const PATH = 'messages/templates'
const MIB = 1024 * 1024
const codeOf = ({ status, body }: Answer) => [status, body.error?.code]
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const uploads = async (): Promise<Json[]> => (await made(world.control('GET', 'uploads'))).data

function draft(name: string, format: string, examples: Json = {}): Json {
  const components = [
    { type: 'HEADER', format },
    { type: 'BODY', text: 'Our offer of the week.' },
  ]
  return { name, language: 'en_US', category: 'MARKETING', components, examples }
}

async function mediaOf(tenant: Tenant, bytes: Buffer, fields: Json = {}): Promise<string> {
  return (await made(upload(tenant, bytes, fields))).media_id
}

/** The handle of the header of the template at the provider. */
async function handleAt(tenant: Tenant, name: string): Promise<string | undefined> {
  const { business_account_id, access_token } = tenant.number
  const url = `${world.simulator_url}/v25.0/${business_account_id}/message_templates?name=${name}`
  const [template] = (await world.http('GET', url, { token: access_token })).body.data
  return template?.components[0].example.header_handle[0]
}

const KINDS: [format: string, variable: string, bytes: Buffer, type: string][] = [
  ['IMAGE', 'header_image', files.png, 'image/png'],
  ['VIDEO', 'header_video', files.mp4, 'video/mp4'],
  ['DOCUMENT', 'header_document', files.pdf, 'application/pdf'],
]

for (const kept of [{}, { purpose: 'note' }]) {
  t.test(`a file kept ${'purpose' in kept ? 'by Parley' : 'at the provider'} is the example of a header`, async (t) => {
    const tenant = await makeTenant(world)
    for (const [format, variable, bytes, type] of KINDS) {
      const name = `of_${format.toLowerCase()}`
      const media_id = await mediaOf(tenant, bytes, kept)
      const answer = await tenant.api('POST', PATH, draft(name, format, { [variable]: media_id }))
      t.equal(answer.status, 201, answer.text)
      t.same(answer.body.variables, [variable])
      const handle = await handleAt(tenant, name)
      t.match(
        (await uploads()).find((one) => one.handle === handle),
        { type, length: bytes.length, sha256: sha256(bytes) },
      )
    }
  })
}

t.test('a large file arrives whole', async (t) => {
  const tenant = await makeTenant(world)
  const bytes = Buffer.concat([files.pdf, Buffer.alloc(20 * MIB, 7)])
  const header_document = await mediaOf(tenant, bytes, { purpose: 'note' })
  t.equal((await tenant.api('POST', PATH, draft('large', 'DOCUMENT', { header_document }))).status, 201)
  const handle = await handleAt(tenant, 'large')
  t.match((await uploads()).find((one) => one.handle === handle)?.sha256, sha256(bytes))
})

t.test('a file that several cards show is uploaded once', async (t) => {
  const tenant = await makeTenant(world)
  const [first, second] = [await mediaOf(tenant, files.png), await mediaOf(tenant, files.jpeg)]
  const card = {
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'One.' },
    ],
  }
  const components = [
    { type: 'BODY', text: 'Our offers.' },
    { type: 'CAROUSEL', cards: [card, card, card] },
  ]
  const examples = { card_0_header_image: first, card_1_header_image: second, card_2_header_image: first }
  const before = (await uploads()).length
  const answer = await tenant.api('POST', PATH, { ...draft('cards', 'TEXT'), components, examples })
  t.equal(answer.status, 201, answer.text)
  t.equal((await uploads()).length, before + 2)
  const handles = answer.body.components[1].cards.map((one: Json) => one.components[0].example.header_handle[0])
  t.equal(handles[0], handles[2])
  t.not(handles[0], handles[1])
})

t.test('a handle is passed on as it is', async (t) => {
  const tenant = await makeTenant(world)
  const header_image = await mediaOf(tenant, files.png)
  await made(tenant.api('POST', PATH, draft('first', 'IMAGE', { header_image })))
  const handle = await handleAt(tenant, 'first')
  const before = (await uploads()).length
  t.equal((await tenant.api('POST', PATH, draft('second', 'IMAGE', { header_image: handle }))).status, 201)
  t.equal(await handleAt(tenant, 'second'), handle)
  t.same(codeOf(await tenant.api('POST', PATH, draft('third', 'IMAGE', { header_image: '4::none' }))), [
    422,
    'PROVIDER_REFUSED',
  ])
  t.equal((await uploads()).length, before)
})

t.test('an edit takes a file, too', async (t) => {
  const tenant = await makeTenant(world)
  const header_image = await mediaOf(tenant, files.png)
  const { _id, components } = await made(tenant.api('POST', PATH, draft('edited', 'IMAGE', { header_image })))
  const before = await handleAt(tenant, 'edited')
  const other = await mediaOf(tenant, files.jpeg)
  const change = draft('', 'IMAGE', { header_image: other })
  const fields = { components: change.components, examples: change.examples }
  const edited = await tenant.api('PATCH', `${PATH}/${_id}`, fields)
  t.equal(edited.status, 200, edited.text)
  const handle = await handleAt(tenant, 'edited')
  t.not(handle, before)
  t.equal((await uploads()).find((one) => one.handle === handle)?.type, 'image/jpeg')
  const kept = await tenant.api('PATCH', `${PATH}/${_id}`, { components })
  t.equal(kept.status, 200, 'a component keeps the example that it brings')
  const refused = await tenant.api('PATCH', `${PATH}/${_id}`, { ...fields, examples: { header_image: 'f'.repeat(24) } })
  t.same(codeOf(refused), [422, 'MEDIA_NOT_FOUND'])
  t.equal(await handleAt(tenant, 'edited'), before)
})

t.test('files of wrong types and sizes, of others and none at all are refused, and nothing is written', async (t) => {
  const tenant = await makeTenant(world)
  const other = await makeTenant(world)
  const { channel_id } = await connectNumber(world, tenant.project_id)
  const phone = { phone_number_id: tenant.number.phone_number_id }
  const own = (bytes: Buffer) => mediaOf(tenant, bytes, phone)
  const large = Buffer.concat([files.png, Buffer.alloc(5 * MIB, 7)])
  const webp = await own(files.webp)
  const cases: [string, format: string, media_id: string, code: string, details?: Json][] = [
    ['a PDF as a picture', 'IMAGE', await own(files.pdf), 'MEDIA_NOT_ACCEPTED', { mime_type: 'application/pdf' }],
    ['a sticker', 'IMAGE', webp, 'MEDIA_NOT_ACCEPTED', { media_id: webp, accepted: [{}, {}] }],
    ['a picture as a video', 'VIDEO', await own(files.png), 'MEDIA_NOT_ACCEPTED', { mime_type: 'image/png' }],
    ['a text', 'DOCUMENT', await own(Buffer.from('Terms')), 'MEDIA_NOT_ACCEPTED', { mime_type: 'text/plain' }],
    [
      'a large picture',
      'IMAGE',
      await mediaOf(tenant, large, { purpose: 'note' }),
      'MEDIA_NOT_ACCEPTED',
      { file_size: large.length },
    ],
    ['an unknown file', 'IMAGE', 'f'.repeat(24), 'MEDIA_NOT_FOUND', { media_id: 'f'.repeat(24) }],
    ['a file of another project', 'IMAGE', await mediaOf(other, files.png), 'MEDIA_NOT_FOUND'],
    [
      'a file that Parley keeps for another project',
      'IMAGE',
      await mediaOf(other, files.png, { purpose: 'note' }),
      'MEDIA_NOT_FOUND',
    ],
    [
      'a file of another number',
      'IMAGE',
      await mediaOf(tenant, files.png, { phone_number_id: channel_id }),
      'MEDIA_NOT_FOUND',
    ],
  ]
  const before = (await uploads()).length
  for (const [what, format, media_id, code, details = {}] of cases) {
    const examples = { [`header_${format.toLowerCase()}`]: media_id }
    const fields = { ...draft('refused', format, examples), channel_id: tenant.number.channel_id }
    const refused = await tenant.api('POST', PATH, fields)
    t.same(codeOf(refused), [422, code], `${what}: ${refused.text}`)
    t.match(refused.body.error.details, details, what)
  }
  t.equal((await uploads()).length, before)
  t.equal(await handleAt(tenant, 'refused'), undefined)
  t.same((await tenant.api('GET', `${PATH}?name=refused`)).body.data, [])
})

t.test('one file that is refused keeps the others from being uploaded', async (t) => {
  const tenant = await makeTenant(world)
  const card = {
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'One.' },
    ],
  }
  const components = [
    { type: 'BODY', text: 'Our offers.' },
    { type: 'CAROUSEL', cards: [card, card] },
  ]
  const examples = { card_0_header_image: await mediaOf(tenant, files.png), card_1_header_image: 'f'.repeat(24) }
  const before = (await uploads()).length
  const refused = await tenant.api('POST', PATH, { ...draft('cards', 'TEXT'), components, examples })
  t.same(codeOf(refused), [422, 'MEDIA_NOT_FOUND'])
  t.equal((await uploads()).length, before)
})

t.test('an upload whose answer is lost, or that is refused, writes nothing and can be repeated', async (t) => {
  const tenant = await makeTenant(world)
  const header_image = await mediaOf(tenant, files.png)
  for (const type of ['app', 'session', 'file']) {
    const name = `lost_${type}`
    const key = { headers: { 'idempotency-key': name } }
    const submit = () => tenant.api('POST', PATH, draft(name, 'IMAGE', { header_image }), key)
    const faults: [Json, status: number, code: string][] = [
      [{ reset: 'after' }, 502, 'WHATSAPP_UPSTREAM_ERROR'],
      [{ garbage: true }, 502, 'WHATSAPP_UPSTREAM_ERROR'],
      [{ error: { code: 131000, status: 500 } }, 502, 'WHATSAPP_UPSTREAM_ERROR'],
    ]
    for (const [fault, status, code] of faults) {
      const match = { channel: 'whatsapp', operation: 'uploads', type }
      await made(world.control('POST', 'faults', { match, times: 1, ...fault }))
      t.same(codeOf(await submit()), [status, code], `${type} ${JSON.stringify(fault)}`)
      t.equal(await handleAt(tenant, name), undefined)
    }
    const answer = await submit()
    t.equal(answer.status, 201, answer.text)
    t.same((await submit()).body, answer.body)
  }
  await made(world.control('POST', 'faults', { match: { operation: 'uploads' }, times: 1, error: { code: 10 } }))
  const refused = await tenant.api('POST', PATH, draft('not_allowed', 'IMAGE', { header_image }))
  t.same(codeOf(refused), [422, 'PROVIDER_REFUSED'])
  t.same((await tenant.api('GET', `${PATH}?name=not_allowed`)).body.data, [])
})

t.test('a submission whose answer is lost is taken over without another upload', async (t) => {
  const tenant = await makeTenant(world)
  const header_image = await mediaOf(tenant, files.png)
  const key = { headers: { 'idempotency-key': 'lost' } }
  const match = { channel: 'whatsapp', operation: 'templates', type: 'create' }
  await made(world.control('POST', 'faults', { match, times: 1, reset: 'after' }))
  const submit = () => tenant.api('POST', PATH, draft('lost', 'IMAGE', { header_image }), key)
  t.same(codeOf(await submit()), [502, 'WHATSAPP_UPSTREAM_ERROR'])
  const before = (await uploads()).length
  t.equal((await submit()).status, 201)
  t.equal((await uploads()).length, before)
})
