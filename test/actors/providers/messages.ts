/** One message of each type, in the form that every carrier of the type takes. */
import type { MessageType } from '../../../actors/message_types.ts'
import type { Payload } from '../../../actors/providers/payload.ts'

const link = 'https://files.example.com/cat.jpg'
const card = (id: number) => ({
  header: { type: 'image', link },
  body_text: `Offer ${id}`,
  action: { display_text: 'Open', url: `https://shop.example.com/${id}` },
})

export const MESSAGES: { [Type in MessageType]: Payload & { type: Type } } = {
  text: { type: 'text', body: 'Your order is on its way ☀' },
  image: { type: 'image', link },
  video: { type: 'video', link: 'https://files.example.com/cat.mp4' },
  audio: { type: 'audio', link: 'https://files.example.com/cat.ogg' },
  document: { type: 'document', link: 'https://files.example.com/a.pdf', filename: 'a.pdf' },
  sticker: { type: 'sticker', link: 'https://files.example.com/cat.webp' },
  location: { type: 'location', latitude: 19.4326, longitude: -99.1332, name: 'Zócalo' },
  contacts: { type: 'contacts', contacts: [{ name: { formatted_name: 'Ana Díaz', first_name: 'Ana' } }] },
  reaction: { type: 'reaction', message_id: 'quoted-1', emoji: '👍' },
  template: { type: 'template', name: 'hello_world', language: 'en_US' },
  buttons: {
    type: 'buttons',
    body_text: 'Shall we ship it?',
    buttons: [
      { id: 'yes', title: 'Yes' },
      { id: 'no', title: 'No' },
    ],
    footer_text: 'Example Shop',
  },
  list: {
    type: 'list',
    body_text: 'Choose a day',
    button_text: 'Days',
    sections: [{ title: 'This week', rows: [{ id: 'fri', title: 'Friday', description: '9 to 12' }] }],
  },
  cta_url: { type: 'cta_url', body_text: 'Track it', display_text: 'Open', url: 'https://shop.example.com/1' },
  catalog: { type: 'catalog', body_text: 'Have a look' },
  carousel: { type: 'carousel', body_text: 'Our offers', cards: [card(1), card(2)] },
  flow: {
    type: 'flow',
    flow_id: '900000000000001',
    flow_cta: 'Book',
    body_text: 'Book a visit',
    flow_token: 'token-1',
    flow_action: 'navigate',
    flow_action_payload: { screen: 'BOOKING' },
  },
}
