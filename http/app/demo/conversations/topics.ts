/** The concerns of the people who write, with the lines that they have for each. */

/** `follow_ups`: the answers to the agent's first, second and later messages. A file comes with the line at its place. */
export type Topic = {
  opening: string[]
  follow_ups: string[]
  thanks: string
  file?: 'picture' | 'document'
}

export const topics: Topic[] = [
  {
    opening: ['Hi!', 'Where is my order A-1042? It should have arrived yesterday.'],
    follow_ups: ['The street is Calle Luna 7, that has not changed.', 'Good, then I wait until tomorrow.'],
    thanks: 'Thanks, that helps a lot!',
  },
  {
    opening: ['Hello, the lamp arrived broken. Here is a picture.'],
    follow_ups: ['A new one, please. I do not want the money back.', 'Yes, the same colour.'],
    thanks: 'Perfect, thank you!',
    file: 'picture',
  },
  {
    opening: ['Buenas tardes, ¿tienen cita para mañana?'],
    follow_ups: ['Por la tarde me queda mejor, después de las cuatro.', 'A las cinco está bien.'],
    thanks: '¡Muchas gracias! Nos vemos.',
  },
  {
    opening: ['Can I still change the size of my order?', 'I ordered M and need L.'],
    follow_ups: ['It is order A-2077.', 'Blue is fine as well if black is sold out.'],
    thanks: 'Great, thanks 🙏',
  },
  {
    opening: ['I was charged twice. The statement of my bank is attached.'],
    follow_ups: ['The 14th and the 15th, the same amount.', 'How long does the refund take?'],
    thanks: 'All right, I will watch my account. Thanks.',
    file: 'document',
  },
  {
    opening: ['Do you deliver to the islands?'],
    follow_ups: ['To Lanzarote.', 'And how long does that take?'],
    thanks: 'Then I will order today. Thank you!',
  },
  {
    opening: ['Hola, quiero devolver unos zapatos', 'Me quedan chicos'],
    follow_ups: ['Es el pedido A-3310', '¿Pasan ustedes por el paquete o lo llevo yo?'],
    thanks: 'Gracias, muy amable',
  },
  {
    opening: ['Is this available?'],
    follow_ups: ['The green one, number 3 on the picture.', 'What does the shipping cost?'],
    thanks: 'I take it 😊',
    file: 'picture',
  },
  {
    opening: ['The code SUMMER10 does not work.'],
    follow_ups: ['It says the code is not valid for this basket.', 'Two shirts and a hat.'],
    thanks: 'Now it worked, thanks!',
  },
  {
    opening: ['Good morning. I need an invoice with the tax number of my company.'],
    follow_ups: ['Acme Trading, B-12345678.', 'By e-mail, please.'],
    thanks: 'I have it. Thank you very much.',
  },
  {
    opening: ['How do I wash this?', 'The label has fallen off'],
    follow_ups: ['The grey sweater from last week', 'Is 30 degrees all right?'],
    thanks: 'Ok, thanks!',
  },
  {
    opening: ['I have been waiting for an answer since Monday.'],
    follow_ups: ['It is about the repair of my phone.', 'Nobody has called me.'],
    thanks: 'Fine. I am glad that somebody looks after it.',
  },
]

/** Lines of somebody who waits for an answer. */
export const nudges = ['Hello?', 'Is anybody there?', '?', 'I am still waiting…', '¿Hola?']
