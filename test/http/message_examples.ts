/** One message of each type with every field of the type. */
import type { MessageType, Payload } from '../../actors/mod.ts'

const link = 'https://files.example.com/cat.jpg'
const url = 'https://shop.example.com/orders/1042'

export const messages: { [Type in MessageType]: Payload & { type: Type } } = {
  text: { type: 'text', body: 'Your order is on its way: https://shop.example.com', preview_url: true },
  image: { type: 'image', link, caption: 'A cat' },
  video: { type: 'video', link: 'https://files.example.com/cat.mp4', caption: 'A cat that moves' },
  audio: { type: 'audio', link: 'https://files.example.com/cat.ogg', voice: true },
  document: { type: 'document', link: 'https://files.example.com/a.pdf', filename: 'Invoice.pdf', caption: 'Due soon' },
  sticker: { type: 'sticker', link: 'https://files.example.com/cat.webp' },
  location: { type: 'location', latitude: 19.4326, longitude: -99.1332, name: 'Zócalo', address: 'Centro, CDMX' },
  contacts: {
    type: 'contacts',
    contacts: [
      {
        name: { formatted_name: 'Ana Díaz', first_name: 'Ana', last_name: 'Díaz' },
        phones: [{ phone: '+5215512345678', type: 'CELL' }],
        emails: [{ email: 'ana@example.com', type: 'WORK' }],
        org: { company: 'Example', title: 'Engineer' },
      },
    ],
  },
  reaction: { type: 'reaction', message_id: 'wamid.HBgN', emoji: '👍🏽' },
  template: {
    type: 'template',
    name: 'order_update',
    language: 'en_US',
    variables: { '1': 'Ana', '2': 'A-1042' },
    flow: { flow_token: 'order-1042', button_index: 0, flow_action_data: { size: 'L' } },
  },
  buttons: {
    type: 'buttons',
    body_text: 'Shall we ship it?',
    buttons: [
      { id: 'yes', title: 'Yes' },
      { id: 'no', title: 'No' },
      { id: 'ask', title: 'Ask me later' },
    ],
    header: { type: 'text', text: 'Order A-1042' },
    footer_text: 'Example Shop',
  },
  list: {
    type: 'list',
    body_text: 'Choose a day',
    button_text: 'Days',
    sections: [
      { title: 'This week', rows: [{ id: 'fri', title: 'Friday', description: '9 to 12' }] },
      { title: 'Next week', rows: [{ id: 'mon', title: 'Monday' }] },
    ],
    footer_text: 'Example Shop',
  },
  cta_url: { type: 'cta_url', body_text: 'Track it', display_text: 'Open', url, footer_text: 'Example Shop' },
  catalog: {
    type: 'catalog',
    body_text: 'Have a look',
    thumbnail_product_retailer_id: 'sku-1',
    footer_text: 'Example Shop',
  },
  carousel: {
    type: 'carousel',
    body_text: 'New arrivals',
    cards: [
      { header: { type: 'image', link }, body_text: 'A cat', action: { display_text: 'Buy', url } },
      { header: { type: 'image', link }, body_text: 'Another', action: { display_text: 'Buy', url } },
    ],
  },
  flow: {
    type: 'flow',
    flow_id: '1234567890',
    flow_token: 'order-1042',
    flow_cta: 'Sign up',
    body_text: 'Fill it in',
    header_text: 'Welcome',
    footer_text: 'Example Shop',
    flow_action: 'navigate',
    flow_action_payload: { screen: 'FIRST', data: { name: 'Ana' } },
  },
}
