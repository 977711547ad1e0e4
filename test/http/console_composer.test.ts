/** The modules of the composer that need no page: rules of channels, and the messages that a reply becomes. */
import { join } from 'node:path'
import { signal } from '@preact/signals'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { draftServer } from './draft_server.ts'

const inbox = join(import.meta.dirname, '../../http/console/page/inbox')
const load = (name: string): Promise<Json> => import(join(inbox, name))
const rules = await load('composer/channel_rules.ts')
const { Compose } = await load('composer/compose.ts')

const MIB = 1024 * 1024
const types = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'yes']))
const whatsapp = {
  message_types: types('text', 'image', 'video', 'audio', 'document', 'sticker', 'template'),
  text_limit: { most: 4096, unit: 'characters' },
  has_captions: true,
  file_types: [
    { mime_type: 'image/png', max_bytes: 5 * MIB },
    { mime_type: 'image/webp', max_bytes: 100 * 1024 },
    { mime_type: 'application/pdf', max_bytes: 100 * MIB },
  ],
  most_file_bytes: 100 * MIB,
}
const tiktok = {
  ...whatsapp,
  message_types: types('text', 'image'),
  has_captions: false,
  file_types: null,
  most_file_bytes: 20 * MIB,
}

t.test('a file becomes the type that its channel carries', async (t) => {
  const typeOf = (type: string, composing: Json) => rules.typeOfFile({ name: 'x', type }, composing)
  t.equal(typeOf('image/png', whatsapp), 'image')
  t.equal(typeOf('image/webp', whatsapp), 'sticker')
  t.equal(typeOf('image/gif', whatsapp), 'document', 'a picture that WhatsApp does not take goes as a document')
  t.equal(typeOf('application/pdf', whatsapp), 'document')
  t.equal(typeOf('image/gif', tiktok), 'image')
  t.equal(typeOf('application/pdf', tiktok), undefined)
})

t.test('a file is refused before its upload, with the reason', async (t) => {
  const refusal = (file: Json, composing: Json = whatsapp) =>
    rules.refusalOfFile({ name: 'x', size: 10, type: 'image/png', ...file }, composing, 'WhatsApp')
  t.equal(refusal({}), undefined)
  t.match(refusal({ size: 0 }), /empty/)
  t.equal(refusal({ size: 6 * MIB }), 'The file has 6 MB; WhatsApp takes 5 MB.')
  t.match(refusal({ type: 'image/gif' }), /type image\/gif/)
  t.match(refusal({ name: 'setup.exe', type: 'application/x-ms-dos-executable' }), /files of the type \.exe\.$/)
  t.match(refusal({ type: 'application/pdf' }, tiktok), /does not take this kind/)
  t.equal(refusal({ type: '' }), undefined, 'the server knows a type by the bytes')
})

t.test('a text is as long as its channel counts it', async (t) => {
  t.equal(rules.lengthOf('👍🏽ñ', 'characters'), 3)
  t.equal(rules.lengthOf('👍🏽ñ', 'bytes'), 10)
})

t.test('the window closes at its end, and is closed for people who never wrote', async (t) => {
  const windows = [{ channel_id: 'c', expires_at: '2026-01-02T00:00:00.000Z' }]
  const at = (text: string) => Date.parse(text)
  t.match(rules.windowOf(whatsapp, windows, 'c', at('2026-01-01T23:59:59Z')), { state: 'open' })
  t.match(rules.windowOf(whatsapp, windows, 'c', at('2026-01-02T00:00:00Z')), { state: 'closed', has_templates: true })
  t.match(rules.windowOf(whatsapp, windows, 'other', 0), { state: 'closed' })
  t.match(rules.windowOf(tiktok, [], 'c', 0), { state: 'none' })
})

t.test('the channel is that of the last message, unless the agent chose another', async (t) => {
  const channel = (_id: string, more: Json = {}) => ({ _id, channel_type: 'whatsapp', is_active: true, ...more })
  const definitions = {
    channels: [channel('a'), channel('b'), channel('c', { is_active: false }), channel('d', { channel_type: 'web' })],
  }
  const contact = { channel_type: 'whatsapp', channel_id: 'a' }
  const chosen = (...more: unknown[]) => rules.channelFor(definitions, contact, ...more).channel?._id
  t.equal(chosen(undefined), 'a')
  t.equal(chosen('b'), 'b')
  t.equal(chosen('c'), 'a', 'an inactive channel sends nothing')
  t.equal(chosen('b', 'a'), 'a')
  t.equal(rules.channelFor(definitions, contact, undefined).choices.length, 2)
  t.equal(rules.addressOf({ channel_type: 'whatsapp', user_id: '1555', bsuid: null }), '+1555')
  t.equal(rules.addressOf({ channel_type: 'whatsapp', user_id: 'US.1', bsuid: 'US.1' }), 'US.1')
})

/** A ticket of Ana with these messages, and what is sent to her. */
function composeFor(composing: Json, messages: Json[] = []) {
  const sent: Json[] = []
  const posted: Json[] = []
  /** The answers of assistants, one after the other. */
  const suggestions: Promise<Json>[] = []
  const channel = { _id: 'c', channel_type: 'whatsapp', is_active: true, composing }
  const entries = signal(messages.map(({ id, created_at }) => ({ kind: 'message', id, at: created_at })))
  const known = new Map(messages.map((one) => [one.id, one]))
  const project: Json = {
    user: { _id: 'me' },
    definitions: signal({ channels: [channel], users: [{ _id: 'eva', full_name: 'Eva Luna' }] }),
    records: { get: (_: string, id: string) => known.get(id) },
    api: {
      ...draftServer(),
      address: (path: string) => path,
      async post(path: string, json: Json) {
        posted.push({ path, ...json })
        if (path.endsWith('/reply')) return { reply: await suggestions.shift() }
      },
    },
  }
  const thread: Json = {
    ticket_id: 't',
    entries,
    contact: signal({ _id: 'ana', channel_type: 'whatsapp', user_id: '1555', bsuid: null, channel_id: 'c' }),
    outgoing: {
      async send(request: Json) {
        sent.push(request)
      },
      async writeNote(content: string, fields: Json) {
        sent.push({ note: content, ...fields })
      },
    },
  }
  const upload = async (_: string, form: FormData) => ({
    media_id: `id of ${(form.get('file') as File).name}`,
    mime_type: (form.get('file') as File).type,
  })
  const compose = new Compose(project, thread, upload)
  const add = (message: Json) => {
    known.set(message.id, message)
    entries.value = [...entries.value, { kind: 'message', id: message.id, at: message.created_at }]
  }
  return { compose, sent, posted, suggestions, add }
}
const picture = (name: string) => new File(['x'], name, { type: 'image/png' })

t.test('a text goes along with the first file, or before the files where there are no captions', async (t) => {
  for (const [composing, expected] of [
    [
      whatsapp,
      [
        { type: 'image', media_id: 'id of a.png', caption: 'Look' },
        { type: 'image', media_id: 'id of b.png' },
      ],
    ],
    [
      tiktok,
      [
        { type: 'text', body: 'Look' },
        { type: 'image', media_id: 'id of a.png' },
        { type: 'image', media_id: 'id of b.png' },
      ],
    ],
  ] as const) {
    const { compose, sent } = composeFor(composing)
    compose.write('Look')
    compose.answer('msg_1')
    compose.files.add([picture('a.png'), picture('b.png')])
    await eventually('they are uploaded', async () => !compose.files.is_uploading)
    await compose.send()
    t.same(
      sent.map(({ message }) => message),
      expected,
    )
    t.match(sent[0], { channel: 'whatsapp', to: '+1555', channel_id: 'c', context: { message_id: 'msg_1' } })
    t.equal(sent[1].context, undefined, 'one message answers')
    t.same([compose.text, compose.files.entries.value, compose.quote.value], ['', [], null])
  }
})

t.test('a note names the colleagues that it mentions', async (t) => {
  const { compose, sent } = composeFor(whatsapp)
  compose.mode.value = 'note'
  compose.write('@Eva Luna, please')
  await compose.send()
  t.same(sent, [{ note: '@Eva Luna, please', mentions: ['eva'] }])
})

t.test('a note takes files of any kind, which a draft keeps, and files alone give it their names', async (t) => {
  const { compose, sent } = composeFor(tiktok)
  const file = new File(['x'], 'plan.xyz', { type: 'application/x-unknown' })
  compose.mode.value = 'note'
  compose.files.add([file, picture('a.png')])
  await eventually('they are uploaded', async () => !compose.files.is_uploading)
  t.same(
    compose.files.stored().map(({ filename, type }: Json) => [filename, type]),
    [
      ['plan.xyz', 'document'],
      ['a.png', 'image'],
    ],
  )
  t.equal(compose.is_filled, true)
  compose.mode.value = 'reply'
  t.same(compose.files.entries.value, [], 'they do not go to the person')
  t.equal(compose.is_filled, false)
  compose.mode.value = 'note'
  await compose.send()
  t.same(sent, [{ note: 'plan.xyz\na.png', media_ids: ['id of plan.xyz', 'id of a.png'] }])
  t.same(compose.files.entries.value, [])
})

t.test('messages for later are a second apart, so that they keep their order', async (t) => {
  const { compose, posted } = composeFor(tiktok)
  compose.write('Look')
  compose.files.add([picture('a.png')])
  await eventually('it is uploaded', async () => !compose.files.is_uploading)
  await compose.sendLater({ send_at: new Date('2026-01-01T09:00:00.000Z'), cancel_if_answered: true })
  t.match(posted, [
    { message: { type: 'text' }, send_at: '2026-01-01T09:00:00.000Z', cancel_if_answered: true, channel_id: 'c' },
    { message: { type: 'image' }, send_at: '2026-01-01T09:00:01.000Z' },
  ])
  t.notOk('to' in posted[0], 'the server knows the contact')
})

t.test('an answer of somebody else since the agent began to write is noticed', async (t) => {
  const outbound = (id: string, second: number, agent_id?: string) => ({
    id,
    direction: 'outbound',
    channel_id: 'c',
    created_at: `2026-01-01T00:00:0${second}.000Z`,
    meta_data: agent_id ? { agent_id } : null,
  })
  const { compose, add } = composeFor(whatsapp, [outbound('before', 1, 'eva')])
  compose.write('I')
  t.same(compose.answersOfOthers(), [])
  add(outbound('mine', 2, 'me'))
  t.same(compose.answersOfOthers(), [])
  add(outbound('theirs', 3, 'eva'))
  t.match(compose.answersOfOthers(), [{ id: 'theirs' }])
  compose.overlook()
  t.same(compose.answersOfOthers(), [])
  compose.write('')
  add(outbound('program', 4))
  t.same(compose.answersOfOthers(), [], 'nothing is being written')
})

t.test('a suggestion answers what was there when it was asked for, and is taken out of what was written', async (t) => {
  const message = (id: string, second: number, fields: Json) => ({
    ...{ id, channel_id: 'c', created_at: `2026-01-01T00:00:0${second}.000Z` },
    ...fields,
  })
  const { compose, suggestions, add } = composeFor(whatsapp, [message('asks', 1, { direction: 'inbound' })])
  const { promise, resolve } = Promise.withResolvers<Json>()
  suggestions.push(promise)
  const asked = compose.suggested.ask({ _id: 'a', name: 'Demi' })
  add(message('theirs', 2, { direction: 'outbound', meta_data: { agent_id: 'eva' } }))
  resolve({ outcome: 'answered', text: 'Tomorrow.\n\nUntil noon.', reason: null, sources: [] })
  await asked
  t.match(compose.answersOfOthers(), [{ id: 'theirs' }], 'the agent is told that somebody has answered')
  compose.write('Hello,\n\nTomorrow.\n\nUntil noon.\n\nEva')
  compose.suggested.undo()
  t.equal(compose.texts.reply.value, 'Hello,\n\nEva')
  t.equal(compose.suggested.state.value, null)

  suggestions.push(Promise.resolve({ outcome: 'failed', text: null, reason: 'no_budget', sources: [] }))
  await compose.suggested.ask({ _id: 'a', name: 'Demi' })
  t.match(compose.suggested.state.value, { kind: 'failed', fault: { message: 'The budget is spent.' } })
})
