/**
 * Events of a paired phone as people cause them: record, event and what an agent reads. One file, because it is one table of
 * what phones tell.
 */
import { join } from 'node:path'
import t from 'tap'
import { contentOf } from '../../actors/providers/evolution/content.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'

const pages = join(import.meta.dirname, '../../http/console/page/inbox')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { wordsOf } = await load('../crm/preview.ts')
const { linesOf } = await load('thread/content/other_kinds.ts')
const { answersOf } = await load('thread/content/form_answers.ts')

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const instance = `shop-${process.pid}`
const credentials = { instance, api_key: 'key', api_base_url: world.simulator_url, webhook_secret: 'a-secret' }
const { _id: channel_id } = await made(
  world.operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'whatsapp',
    name: 'Phone',
    provider: 'qr',
    credentials,
  }),
)
await tenant.subscribe('phone', ['whatsapp.message.*'])

let people = 0
let ids = 0
const someone = () => `55119${String(80_000_000 + ++people)}@s.whatsapp.net`

async function call(event: string, data: Json) {
  const headers = { 'x-parley-secret': 'a-secret', 'content-type': 'application/json' }
  const raw = JSON.stringify({ event, instance, sender: '5511988887777@s.whatsapp.net', data })
  const { status, text } = await world.http('POST', `${world.base_url}/providers/whatsapp/${channel_id}`, {
    raw,
    headers,
  })
  if (status !== 200) throw new Error(`${status} ${text}`)
}

async function write(remoteJid: string, message: Json, beside: Json = {}): Promise<string> {
  const id = `3A${String(++ids).padStart(18, '0')}`
  const messageTimestamp = Math.floor(Date.now() / 1000)
  await call('messages.upsert', {
    key: { remoteJid, fromMe: false, id },
    pushName: 'Nilo',
    message,
    messageTimestamp,
    ...beside,
  })
  return id
}

const recordOf = async (id: string): Promise<Json> =>
  (await tenant.api('GET', 'messages?limit=200')).body.data.find((one: Json) => one.provider_message_id === id)

const eventOf = (id: string) =>
  eventually('its event', () => world.sink.events('phone').find(({ data }) => data.messages?.[0]?.id === id))

/** The id that a file gets here: the gateway finds it by the id of its message. */
const OUR_ID = /^[0-9a-f]{24}$/
const roof = { imageMessage: { caption: 'Our roof', mimetype: 'image/jpeg', jpegThumbnail: '/9j/4AAQ' } }
const album = { messageAssociation: { associationType: 1, parentMessageKey: { id: 'ALBUM1' } } }
const rows: { rule: string; message: Json; record: Json; event?: Json; beside?: Json }[] = [
  {
    rule: 'a picture of an album',
    message: { associatedChildMessage: { message: { ...roof, messageContextInfo: album } } },
    record: { type: 'image', caption: 'Our roof', media_id: OUR_ID, media_group_id: 'ALBUM1' },
    event: { image: { caption: 'Our roof' }, media_group_id: 'ALBUM1' },
  },
  {
    rule: 'a picture of an album whose association stands beside its envelope',
    message: { messageContextInfo: album, associatedChildMessage: { message: roof } },
    record: { type: 'image', media_id: OUR_ID, media_group_id: 'ALBUM1' },
  },
  {
    rule: 'an animated sticker',
    message: { lottieStickerMessage: { message: { stickerMessage: { mimetype: 'application/was' } } } },
    record: { type: 'sticker', media_id: OUR_ID, mime_type: 'application/was' },
  },
  ...[
    'groupMentionedMessage',
    'botInvokeMessage',
    'ephemeralMessage',
    'viewOnceMessageV2',
    'questionMessage',
    'envelope2031',
  ].map((envelope) => ({
    rule: `a text in the envelope ${envelope}`,
    message: { [envelope]: { message: { conversation: 'Is it open?' } } },
    record: { type: 'text', body: 'Is it open?' },
  })),
  {
    rule: 'envelopes in envelopes',
    message: {
      ephemeralMessage: { message: { viewOnceMessage: { message: { associatedChildMessage: { message: roof } } } } },
    },
    record: { type: 'image', media_id: OUR_ID, caption: 'Our roof' },
  },
  ...['pollCreationMessage', 'pollCreationMessageV2', 'pollCreationMessageV3', 'pollCreationMessageV5'].map((kind) => ({
    rule: `a poll, as ${kind}`,
    message: {
      [kind]: { name: 'Which day?', options: [{ optionName: 'Friday' }], encKey: 'x', contextInfo: {} },
      messageContextInfo: { messageSecret: 'y' },
    },
    record: { type: 'unsupported', kind, [kind]: { name: 'Which day?', options: [{ optionName: 'Friday' }] } },
    event: { unsupported: { kind, [kind]: { name: 'Which day?' } } },
  })),
  {
    rule: 'a poll in an envelope',
    message: { pollCreationMessageV4: { message: { pollCreationMessageV3: { name: 'Which day?', options: [] } } } },
    record: { type: 'unsupported', kind: 'pollCreationMessageV3' },
  },
  {
    rule: 'the choice from native buttons',
    message: {
      interactiveResponseMessage: {
        body: { text: 'Tomorrow' },
        nativeFlowResponseMessage: { name: 'quick_reply', paramsJson: '{"id":"day-2"}', version: 3 },
      },
    },
    record: { type: 'interactive', interactive_type: 'button_reply', button_reply: { id: 'day-2', title: 'Tomorrow' } },
    event: { interactive: { type: 'button_reply', button_reply: { id: 'day-2' } } },
  },
  {
    rule: 'a form that was filled in',
    message: {
      interactiveResponseMessage: {
        body: { text: 'Sent' },
        nativeFlowResponseMessage: {
          name: 'address_message',
          paramsJson: '{"values":{"street":"Rua 7"},"n":8514402197360028463}',
        },
      },
    },
    record: { type: 'interactive', nfm_reply: { name: 'address_message', response_json: /Rua 7/ } },
  },
  {
    rule: 'an order',
    message: {
      orderMessage: {
        orderId: '9081',
        itemCount: 3,
        message: 'By noon, please',
        totalAmount1000: { low: 45500 },
        totalCurrencyCode: 'BRL',
        thumbnail: 'x',
      },
    },
    record: { type: 'order', order_id: '9081', item_count: 3, text: 'By noon, please', total: 45.5, currency: 'BRL' },
    event: { order: { order_id: '9081', item_count: 3 } },
  },
  {
    rule: 'the ad from which the person came, on a forwarded text',
    message: {
      extendedTextMessage: {
        text: 'Is this yours?',
        contextInfo: {
          isForwarded: true,
          forwardingScore: 7,
          externalAdReply: {
            title: 'Roofs',
            body: 'From 90',
            sourceType: 'ad',
            sourceId: '77',
            sourceUrl: 'https://fb.example/ad',
            ctwaClid: 'c1',
            thumbnail: 'x',
          },
        },
      },
    },
    record: {
      body: 'Is this yours?',
      forwarded: true,
      frequently_forwarded: true,
      referral: {
        source_type: 'ad',
        source_id: '77',
        source_url: 'https://fb.example/ad',
        headline: 'Roofs',
        ctwa_clid: 'c1',
      },
    },
    event: { context: { forwarded: true, frequently_forwarded: true }, referral: { source_id: '77' } },
  },
  {
    rule: 'the words that an answer repeats',
    message: {
      extendedTextMessage: {
        text: 'Yes',
        contextInfo: { stanzaId: 'OLD1', quotedMessage: { conversation: 'Do you want it in red?' } },
      },
    },
    record: { body: 'Yes', quote: { text: 'Do you want it in red?' } },
    event: { context: { id: 'OLD1' }, quote: { text: 'Do you want it in red?' } },
  },
  {
    rule: 'the caption that an answer repeats, told beside the message',
    message: { conversation: 'That one' },
    beside: { contextInfo: { stanzaId: 'OLD2', quotedMessage: { imageMessage: { caption: 'Tile B' } } } },
    record: { body: 'That one', quote: { text: 'Tile B' } },
    event: { context: { id: 'OLD2' } },
  },
  ...Object.entries({
    'a document with a caption': [
      { documentWithCaptionMessage: { message: { documentMessage: { caption: 'The offer', fileName: 'a.pdf' } } } },
      'The offer',
    ],
    'a disappearing text': [
      { ephemeralMessage: { message: { extendedTextMessage: { text: 'At noon?' } } } },
      'At noon?',
    ],
    'a chosen row': [{ listResponseMessage: { title: 'Size L' } }, 'Size L'],
    'a contact': [{ contactMessage: { displayName: 'Bo Lund' } }, 'Bo Lund'],
    'a file without a caption': [{ documentMessage: { fileName: 'plan.pdf' } }, 'plan.pdf'],
  } as Record<string, [Json, string]>).map(([what, [quotedMessage, text]]) => ({
    rule: `an answer to ${what} repeats its words`,
    message: { extendedTextMessage: { text: 'Yes', contextInfo: { stanzaId: 'OLD3', quotedMessage } } },
    record: { body: 'Yes', quote: { text } },
  })),
  {
    rule: 'a business card without a phone',
    message: { contactMessage: { displayName: 'Bo', vcard: 'BEGIN:VCARD\nFN:Bo\nEMAIL:bo@mills.example\nEND:VCARD' } },
    record: { type: 'contacts', contacts: [{ name: { formatted_name: 'Bo' }, vcard: /EMAIL:bo@mills/ }] },
  },
  {
    rule: 'a chosen row with its description',
    message: {
      listResponseMessage: { title: 'Size L', description: '80 cm', singleSelectReply: { selectedRowId: 'l' } },
    },
    record: { interactive_type: 'list_reply', list_reply: { id: 'l', title: 'Size L', description: '80 cm' } },
  },
  ...Object.entries({
    productMessage: { product: { productId: '5', title: 'Tile', priceAmount1000: '9900', currencyCode: 'BRL' } },
    eventMessage: { name: 'Opening', startTime: '1790000000' },
    groupInviteMessage: { groupName: 'Tilers', inviteCode: 'x' },
    sendPaymentMessage: { noteMessage: { extendedTextMessage: { text: 'For the tiles' } } },
    call: { callKey: 'x', conversionDelaySeconds: 2 },
    kind2031: { mood: 'fine' },
  }).map(([kind, fields]) => ({
    rule: `content that no type of ours expresses: ${kind}`,
    message: { [kind]: fields, messageContextInfo: {} },
    record: { type: 'unsupported', kind, [kind]: fields },
  })),
]

for (const { rule, message, record, event, beside } of rows) {
  t.test(rule, async (t) => {
    const id = await write(someone(), message, beside)
    const stored = await recordOf(id)
    t.match(stored?.message, record)
    t.notMatch(JSON.stringify(stored), /9j\/4AAQ|encKey|messageSecret|thumbnail"/, 'without bytes of the phone')
    if (event) t.match((await eventOf(id)).data.messages[0], event)
    t.ok(wordsOf(stored), 'a list has words for it')
  })
}

t.test('notices change their message, or nothing, and are no work', async (t) => {
  const person = someone()
  const id = await write(person, { conversation: 'Two tiles' })
  const { chat_user } = await recordOf(id)
  const key = { remoteJid: '5511988887777@s.whatsapp.net', fromMe: true, id }
  const edit = (text: string) => ({
    protocolMessage: { type: 14, key, editedMessage: { conversation: text }, timestampMs: '1' },
  })
  await write(person, edit('Three tiles'))
  t.match(await recordOf(id), { message: { type: 'text', body: 'Three tiles' }, edited_at: /^20/ })
  const tickets = async () => (await tenant.api('GET', `crm/tickets?chat_user=${chat_user}&limit=200`)).body.data
  const [ticket] = await tickets()
  await made(tenant.api('PATCH', `crm/tickets/${ticket._id}`, { is_closed: true }))
  await write(person, { editedMessage: { message: edit('Four tiles') } })
  t.match(await recordOf(id), { message: { body: 'Four tiles' } }, 'in its envelope')
  await write(person, { editedMessage: { message: { conversation: 'Five tiles' } } })
  await write(person, { pinInChatMessage: { key, type: 1 } })
  await write(person, { pinInChatMessage: { key, type: 'UNPIN_FOR_ALL' } })
  await write(person, { reactionMessage: { key, text: '' } })
  for (const silent of [
    { albumMessage: { expectedImageCount: 2 } },
    { keepInChatMessage: { key } },
    { encReactionMessage: { targetMessageKey: key } },
    { secretEncryptedMessage: { targetMessageKey: key } },
    { placeholderMessage: { type: 0 } },
    { protocolMessage: { type: 'EPHEMERAL_SETTING', key } },
    { senderKeyDistributionMessage: { groupId: 'x' }, messageContextInfo: {} },
  ])
    t.equal(await recordOf(await write(person, silent)), undefined, JSON.stringify(silent))
  await eventually('it is counted', async () => {
    const { text: figures } = await world.http('GET', world.metrics_url())
    return /^parley_provider_unknown_total\{provider="[^"]+",field="placeholderMessage".*\} [1-9]/m.test(figures)
  })
  await write(person, { protocolMessage: { type: 'REVOKE', key } })
  await call('messages.delete', { remoteJid: person, fromMe: false, id })
  t.match(await recordOf(id), { message: { type: 'text' }, deleted_at: /^20/ })
  t.match(await tickets(), [{ _id: ticket._id, is_closed: true }], 'no ticket')
  const { data } = (await tenant.api('GET', `messages?chat_user=${chat_user}&limit=200`)).body
  t.same(data.map(({ type }: Json) => type).sort(), [
    'edit',
    'edit',
    'edit',
    'pin',
    'reaction',
    'revoke',
    'revoke',
    'text',
    'unpin',
  ])
  t.notMatch(JSON.stringify(data), /(?:Two|Three|Four) tiles/, 'nothing of the words is left')

  const file = await write(person, roof)
  const caption = {
    protocolMessage: {
      type: 'MESSAGE_EDIT',
      key: { id: file },
      editedMessage: { imageMessage: { caption: 'Our new roof', mimetype: 'image/jpeg' } },
    },
  }
  await write(person, caption)
  t.match(await recordOf(file), { message: { type: 'image', caption: 'Our new roof', media_id: OUR_ID } })
  const other = someone()
  await write(other, { protocolMessage: { type: 0, key: { id: file } } })
  t.equal((await recordOf(file)).deleted_at, null, 'only the author withdraws')
  await call('messages.delete', { remoteJid: person, fromMe: false, id: file })
  t.match(await recordOf(file), { deleted_at: /^20/ }, 'as the gateway tells it')
})

t.test('what a message has beside its content, or instead of it, is counted', async (t) => {
  const heard = await write(someone(), { audioMessage: { seconds: 3 }, speechToText: '[audio] Hi', base64: 'T2dn' })
  t.match((await recordOf(heard)).message, { type: 'audio' })
  for (const message of [{ kind2032: 'fine' }, null]) await write(someone(), message as unknown as Json)
  const { ignored_callbacks } = await made(world.operator('POST', `channels/${channel_id}/check`))
  const names = ignored_callbacks.map(({ name }: Json) => name)
  for (const name of ['message.speechToText', 'message.kind2032', 'message']) t.ok(names.includes(name), name)
  t.notOk(names.includes('message.base64'))
})

/** The chat's addresses in the key, by versions of the gateway. */
const keysOf = (number: string, lid: string): Json[] => [
  { remoteJid: lid, remoteJidAlt: number, addressingMode: 'lid' },
  { remoteJid: number, remoteJidAlt: lid },
  { remoteJid: number, previousRemoteJid: lid, senderPn: number },
  { remoteJid: number, senderLid: lid },
  { remoteJid: lid.replace('@lid', '@hosted.lid') },
  { remoteJid: number.replace('s.whatsapp.net', 'hosted') },
  { remoteJid: lid },
]

t.test('one person is one contact, whichever addresses a version of the gateway tells', async (t) => {
  const all = keysOf('', '').length
  for (let first = 0; first < all - 3; first++) {
    const lid = `10389977199${String(people + 8000)}@lid`
    const keys = keysOf(someone(), lid)
    const chats = new Set<string>()
    for (const key of [keys[first]!, ...keys]) {
      const id = `3A${String(++ids).padStart(18, '0')}`
      await call('messages.upsert', { key: { fromMe: false, id, ...key }, message: { conversation: 'Hi' } })
      chats.add((await recordOf(id))?.chat_user)
    }
    t.equal(chats.size, 1, JSON.stringify(keys[first]))
  }
})

t.test('a message in very many envelopes, or of very many fields, costs little', (t) => {
  let deep: Json = { conversation: 'x' }
  for (let n = 0; n < 2000; n++) deep = { envelope: { message: deep } }
  t.equal(contentOf({ message: deep }, 'A'), undefined)
  let edits: Json = { conversation: 'x' }
  for (let n = 0; n < 2000; n++) edits = { protocolMessage: { type: 14, key: { id: 'A' }, editedMessage: edits } }
  t.equal(contentOf({ message: edits }, 'A'), undefined)
  let fields: Json = { a: 1 }
  for (let n = 0; n < 2000; n++) fields = { more: fields }
  t.ok(JSON.stringify(contentOf({ message: { kind: fields } }, 'A')).length < 500)
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`f${n}`, n]))
  t.match(linesOf({ kind: 'many', many }), { left_out: 5000 - 16 })
  t.same(answersOf({ response_json: '{"order":8514402197360028463}' }).answers, [['order', '8514402197360028463']])
  t.end()
})
