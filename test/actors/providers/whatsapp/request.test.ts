import t from 'tap'
import type { Payload } from '../../../../actors/mod.ts'
import { buildMessage, buildRead } from '../../../../actors/providers/whatsapp/mod.ts'

const written = (value: unknown) => JSON.parse(JSON.stringify(value))

const cases: [Payload, object][] = [
  [
    { type: 'text', body: 'Hi', preview_url: true },
    { type: 'text', text: { body: 'Hi', preview_url: true } },
  ],
  [
    { type: 'text', body: 'Hi' },
    { type: 'text', text: { body: 'Hi' } },
  ],
  [
    { type: 'image', link: 'https://e.com/a.jpg', caption: 'A' },
    { type: 'image', image: { link: 'https://e.com/a.jpg', caption: 'A' } },
  ],
  [
    { type: 'video', media_id: '1' },
    { type: 'video', video: { id: '1' } },
  ],
  [
    { type: 'audio', media_id: '1', voice: true },
    { type: 'audio', audio: { id: '1', voice: true } },
  ],
  [
    { type: 'audio', link: 'https://e.com/a.mp3', voice: false },
    { type: 'audio', audio: { link: 'https://e.com/a.mp3' } },
  ],
  [
    { type: 'document', media_id: '1', filename: 'a.pdf', caption: 'A' },
    { type: 'document', document: { id: '1', filename: 'a.pdf', caption: 'A' } },
  ],
  [
    { type: 'sticker', link: 'https://e.com/a.webp' },
    { type: 'sticker', sticker: { link: 'https://e.com/a.webp' } },
  ],
  [
    { type: 'location', latitude: 1.5, longitude: 0, name: 'N' },
    { type: 'location', location: { latitude: 1.5, longitude: 0, name: 'N' } },
  ],
  [
    { type: 'contacts', contacts: [{ name: { formatted_name: 'Ana' } }] },
    { type: 'contacts', contacts: [{ name: { formatted_name: 'Ana' } }] },
  ],
  [
    { type: 'reaction', message_id: 'wamid.1', emoji: '' },
    { type: 'reaction', reaction: { message_id: 'wamid.1', emoji: '' } },
  ],
  [
    {
      type: 'buttons',
      body_text: 'B',
      buttons: [{ id: 'y', title: 'Yes' }],
      header: { type: 'text', text: 'H' },
      footer_text: 'F',
    },
    {
      type: 'interactive',
      interactive: {
        type: 'button',
        header: { type: 'text', text: 'H' },
        body: { text: 'B' },
        footer: { text: 'F' },
        action: { buttons: [{ type: 'reply', reply: { id: 'y', title: 'Yes' } }] },
      },
    },
  ],
  [
    {
      type: 'list',
      body_text: 'B',
      button_text: 'Open',
      sections: [
        {
          title: 'S',
          rows: [
            { id: '1', title: 'One', description: 'D' },
            { id: '2', title: 'Two' },
          ],
        },
      ],
    },
    {
      type: 'interactive',
      interactive: {
        type: 'list',
        body: { text: 'B' },
        action: {
          button: 'Open',
          sections: [
            {
              title: 'S',
              rows: [
                { id: '1', title: 'One', description: 'D' },
                { id: '2', title: 'Two' },
              ],
            },
          ],
        },
      },
    },
  ],
  [
    { type: 'cta_url', body_text: 'B', display_text: 'Open', url: 'https://e.com' },
    {
      type: 'interactive',
      interactive: {
        type: 'cta_url',
        body: { text: 'B' },
        action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://e.com' } },
      },
    },
  ],
  [
    { type: 'catalog', body_text: 'B', thumbnail_product_retailer_id: 'p1' },
    {
      type: 'interactive',
      interactive: {
        type: 'catalog_message',
        body: { text: 'B' },
        action: { name: 'catalog_message', parameters: { thumbnail_product_retailer_id: 'p1' } },
      },
    },
  ],
  [
    { type: 'catalog', body_text: 'B' },
    {
      type: 'interactive',
      interactive: { type: 'catalog_message', body: { text: 'B' }, action: { name: 'catalog_message' } },
    },
  ],
  [
    {
      type: 'carousel',
      body_text: 'B',
      cards: [
        {
          header: { type: 'image', link: 'https://e.com/a.png' },
          body_text: 'C',
          action: { display_text: 'Open', url: 'https://e.com' },
        },
      ],
    },
    {
      type: 'interactive',
      interactive: {
        type: 'carousel',
        body: { text: 'B' },
        action: {
          cards: [
            {
              card_index: 0,
              type: 'cta_url',
              header: { type: 'image', image: { link: 'https://e.com/a.png' } },
              body: { text: 'C' },
              action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://e.com' } },
            },
          ],
        },
      },
    },
  ],
  [
    {
      type: 'flow',
      flow_id: '9',
      flow_token: 't',
      flow_cta: 'Book',
      body_text: 'B',
      header_text: 'H',
      footer_text: 'F',
      flow_action: 'navigate',
      flow_action_payload: { screen: 'S', data: { a: 1 } },
    },
    {
      type: 'interactive',
      interactive: {
        type: 'flow',
        header: { type: 'text', text: 'H' },
        body: { text: 'B' },
        footer: { text: 'F' },
        action: {
          name: 'flow',
          parameters: {
            flow_message_version: '3',
            flow_id: '9',
            flow_token: 't',
            flow_cta: 'Book',
            flow_action: 'navigate',
            flow_action_payload: { screen: 'S', data: { a: 1 } },
          },
        },
      },
    },
  ],
]

for (const [payload, content] of cases)
  t.test(JSON.stringify(payload).slice(0, 60), async (t) => {
    t.strictSame(written(buildMessage(payload, { to: '+5215512345678' })), {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '5215512345678',
      ...content,
    })
  })

t.test('a request has the right fields around its content', async (t) => {
  const body = buildMessage(
    { type: 'text', body: 'x' },
    { to: 'US.1349', context: { message_id: 'wamid.0' }, opaque: 'msg_1' },
  )
  t.match(body, { recipient: 'US.1349', context: { message_id: 'wamid.0' }, biz_opaque_callback_data: 'msg_1' })
  t.notOk('to' in body)
})

t.test('mark as read', async (t) => {
  t.strictSame(buildRead('wamid.1'), { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.1' })
  t.match(buildRead('wamid.1', { type: 'text' }), { typing_indicator: { type: 'text' } })
})
