import t from 'tap'
import { fixture, NUMBER, PERSON } from './fixture.ts'
import type { Json } from './receiver.ts'

const interactive = (fields: Json) => ({ type: 'interactive', interactive: { body: { text: 'Hi' }, ...fields } })
const buttons = (...titles: string[]) =>
  interactive({
    type: 'button',
    action: { buttons: titles.map((title, id) => ({ type: 'reply', reply: { id: `${id}`, title } })) },
  })
const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id: `${id}`, title: 'Row' }))
const listOf = (sections: Json[], button = 'Open') => interactive({ type: 'list', action: { button, sections } })
const card = (card_index: number, link = 'https://example.com/a.png') => ({
  card_index,
  type: 'cta_url',
  header: { type: 'image', image: { link } },
  action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com' } },
})
const carousel = (...cards: Json[]) => interactive({ type: 'carousel', action: { cards } })
const template = (name: string, components: Json[] = [], code = 'en_US') => ({
  type: 'template',
  template: { name, language: { code }, components },
})
const texts = (...values: string[]) => values.map((text) => ({ type: 'text', text }))
const body = (...values: string[]) => ({ type: 'body', parameters: texts(...values) })
const flow = (fields: Json) =>
  interactive({
    type: 'flow',
    action: {
      name: 'flow',
      parameters: { flow_message_version: '3', flow_id: '900000000000001', flow_cta: 'Go', ...fields },
    },
  })

const ACCEPTED: [string, Json][] = [
  ['the longest text', { text: { body: 'x'.repeat(4096) } }],
  ['a cleared reaction', { type: 'reaction', reaction: { message_id: 'wamid.X', emoji: '' } }],
  ['a formatted phone', { to: '+1 (555) 765-4321' }],
  ['a voice note', { type: 'audio', audio: { link: 'https://example.com/a.ogg', voice: true } }],
  ['a sticker', { type: 'sticker', sticker: { link: 'https://example.com/a.webp' } }],
  ['three buttons', buttons('a', 'b', 'c')],
  ['ten rows', listOf([{ title: 'A', rows: rows(10) }])],
  ['two cards', carousel(card(0), card(1))],
  [
    'a template with a header and a url button',
    template('invoice_ready', [
      { type: 'header', parameters: texts('F-1') },
      body('Ana', '$ 3'),
      { type: 'button', sub_type: 'url', index: '0', parameters: texts('7') },
    ]),
  ],
  [
    'a template with a picture',
    template('promo_picture', [
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.jpg' } }] },
      body('Ana'),
    ]),
  ],
  [
    'a template with a Flow',
    template('book_visit', [
      body('Ana'),
      {
        type: 'button',
        sub_type: 'flow',
        index: 0,
        parameters: [{ type: 'action', action: { flow_token: 't', flow_action_data: {} } }],
      },
    ]),
  ],
  ['a template in another language', template('order_update', [body('Ana', 'A-1')], 'es')],
  ['a Flow', flow({ flow_token: 't', flow_action: 'navigate', flow_action_payload: { screen: 'VISIT' } })],
]

const REFUSED: [string, Json, number, RegExp][] = [
  ['no product', { messaging_product: undefined }, 100, /messaging_product is required/],
  ['no recipient', { to: undefined }, 100, /parameter to is required/],
  ['a recipient that is none', { to: 'Ana' }, 131009, /not a phone number/],
  ['a user id that is none', { to: undefined, recipient: 'ana' }, 131009, /user id/],
  ['the number itself', { to: '15557838813' }, 131021, /./],
  ['an unknown type', { type: 'fax' }, 100, /type must be one of .*TEXT/],
  ['no content', { text: undefined }, 100, /parameter text is required/],
  ['a text too long', { text: { body: 'x'.repeat(4097) } }, 100, /at most 4096/],
  ['an empty text', { text: { body: '' } }, 131009, /Min length: 1/],
  ['a wrong flag', { text: { body: 'x', preview_url: 'yes' } }, 131009, /boolean/],
  ['opaque data too long', { biz_opaque_callback_data: 'x'.repeat(513) }, 100, /at most 512/],
  [
    'a caption too long',
    { type: 'image', image: { link: 'https://a.example/b', caption: 'x'.repeat(1025) } },
    100,
    /1024/,
  ],
  ['media from nowhere', { type: 'video', video: {} }, 100, /'id' or 'link'/],
  ['a link that is none', { type: 'video', video: { link: 'ftp://x' } }, 131009, /URL/],
  ['unknown media', { type: 'video', video: { id: '1' } }, 100, /not a media id/],
  ['a place off the map', { type: 'location', location: { latitude: 91, longitude: 0 } }, 131009, /-90 to 90/],
  ['a reaction to nothing', { type: 'reaction', reaction: { emoji: 'x' } }, 131008, /message_id/],
  ['a contact without a name', { type: 'contacts', contacts: [{ phones: [] }] }, 131008, /name/],
  ['no contacts', { type: 'contacts' }, 100, /contacts is required/],
  ['four buttons', buttons('a', 'b', 'c', 'd'), 131009, /Max entries: 3/],
  ['a button too long', buttons('x'.repeat(21)), 131009, /Button title length invalid/],
  ['two equal buttons', buttons('a', 'a'), 131009, /unique/],
  [
    'eleven rows',
    listOf([
      { title: 'A', rows: rows(6) },
      { title: 'B', rows: rows(5) },
    ]),
    131009,
    /max allowed count: 10/,
  ],
  [
    'rows with one id',
    listOf([
      { title: 'A', rows: rows(1) },
      { title: 'B', rows: rows(1) },
    ]),
    131009,
    /Duplicated/,
  ],
  ['a list button too long', listOf([{ rows: rows(1) }], 'x'.repeat(21)), 131009, /List button/],
  ['sections without a title', listOf([{ rows: rows(1) }, { rows: rows(1) }]), 131009, /Section title/],
  ['one card', carousel(card(0)), 131009, /Min entries: 2/],
  ['cards out of order', carousel(card(1), card(0)), 131009, /card_index/],
  [
    'a footer too long',
    interactive({ type: 'cta_url', footer: { text: 'x'.repeat(61) }, action: {} }),
    100,
    /at most 60/,
  ],
  [
    'a link button without link',
    interactive({ type: 'cta_url', action: { name: 'cta_url', parameters: { display_text: 'Go' } } }),
    131008,
    /url/,
  ],
  ['an unknown interactive', interactive({ type: 'dance', action: {} }), 131009, /must be one of/],
  ['a Flow label too long', flow({ flow_cta: 'x'.repeat(31) }), 131009, /Flow CTA/],
  ['a Flow action', flow({ flow_action: 'jump' }), 131009, /navigate/],
  ['an unknown template', template('no_such'), 132001, /does not exist in en_US/],
  ['an unknown language', template('order_update', [body('a', 'b')], 'fr'), 132001, /fr/],
  ['a template under review', template('pending_news'), 132001, /./],
  ['too few parameters', template('order_update', [body('Ana')]), 132000, /\(1\) does not match .* \(2\)/],
  ['no name on a named parameter', template('appointment_reminder', [body('a', 'b', 'c')]), 131008, /Parameter name/],
  ['no picture', template('promo_picture', [body('Ana')]), 132012, /expected IMAGE/],
  [
    'a header that is not there',
    template('order_update', [body('a', 'b'), { type: 'header', parameters: texts('x') }]),
    132000,
    /header/,
  ],
  [
    'no parameter for the url',
    template('invoice_ready', [{ type: 'header', parameters: texts('F') }, body('a', 'b')]),
    131008,
    /type Url/,
  ],
  ['a paused template', template('paused_offer'), 132015, /./],
  ['a disabled template', template('disabled_offer'), 132016, /./],
]

t.test('fields and bounds are those of the Cloud API', async (t) => {
  const { send } = await fixture(t, { window: { enforced: false }, statuses: { enabled: false } })
  for (const [what, fields] of ACCEPTED)
    t.match(await send(PERSON, fields), { status: 200, body: { messages: [{ id: /^wamid/ }] } }, what)
  for (const [what, fields, code, words] of REFUSED) {
    const { status, body: answer } = await send(PERSON, fields)
    t.ok(status >= 400 && status < 500, what)
    t.match(
      answer.error,
      { code, type: 'OAuthException', fbtrace_id: /^A/, error_data: { messaging_product: 'whatsapp' } },
      what,
    )
    t.match(`${answer.error.message} ${answer.error.error_data.details}`, words, what)
  }
})

t.test('a WebP picture fails after it was accepted', async (t) => {
  const { send, receiver } = await fixture(t, { window: { enforced: false } })
  const { body: reply } = await send(PERSON, carousel(card(0, 'https://example.com/a.webp'), card(1)))
  while (receiver.statuses().length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  t.match(receiver.statuses(), [{ id: reply.messages[0].id, status: 'failed', errors: [{ code: 131053 }] }])
})

t.test('unknown objects and edges are refused', async (t) => {
  const { graph } = await fixture(t)
  t.match(await graph('GET', '1'), { status: 400, body: { error: { code: 100, error_subcode: 33 } } })
  t.match(await graph('GET', `${NUMBER.phone_number_id}/nothing`), { status: 400, body: { error: { code: 2500 } } })
  t.match(
    await graph('POST', `${NUMBER.phone_number_id}/messages`, { messaging_product: 'whatsapp', status: 'read' }),
    {
      body: { error: { code: 100 } },
    },
  )
  t.match((await graph('GET', NUMBER.phone_number_id)).body, {
    display_phone_number: NUMBER.display_phone_number,
    quality_rating: 'GREEN',
  })
  t.same(Object.keys((await graph('GET', `${NUMBER.phone_number_id}?fields=verified_name`)).body), [
    'id',
    'verified_name',
  ])
  t.match((await graph('GET', `${NUMBER.business_account_id}/phone_numbers`)).body, {
    data: [{ id: NUMBER.phone_number_id }],
  })
})

t.test('uploads are checked for type and size', async (t) => {
  const { url } = await fixture(t)
  const upload = async (type: string, bytes: number) => {
    const form = new FormData()
    form.set('messaging_product', 'whatsapp')
    form.set('type', type)
    form.set('file', new File([new Uint8Array(bytes)], 'f', { type }))
    const response = await fetch(`${url}/v25.0/${NUMBER.phone_number_id}/media`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${NUMBER.access_token}` },
    })
    return (await response.json()) as Json
  }
  t.match(await upload('application/pdf', 6 * 1024 * 1024), { id: /^\d+$/ })
  t.match(await upload('image/jpeg', 5 * 1024 * 1024 + 1), { error: { code: 131053 } })
  t.match(await upload('application/x-msdownload', 1), { error: { code: 100, message: /must be a file with one of/ } })
})
