import t from 'tap'
import { signCall } from '../../../../actors/providers/signed_call.ts'
import { type VisitorNote, visitorRef, Web } from '../../../../actors/providers/web/mod.ts'
import { type Accepted, conforms, type FarSide } from '../conformance.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const SECRET = 'the secret of the visitors'
const VISITOR = 'visitor-00112233445566778899aabbccddeeff'

/** Opens a far side without a provider: sends are published to all nodes. */
async function open() {
  const notes: VisitorNote[] = []
  const provider = new Web({ tell: (note) => void notes.push(note) })
  let written = 0
  const far: FarSide = {
    credentials: { visitor_secret: SECRET },
    sent: async () =>
      notes.map(({ user_id, message }): Accepted => {
        return { id: message.ref, recipient: user_id, type: String(message.message.type) }
      }),
    fail: async () => {},
    async write(from, { message }) {
      const id = `page-said-${++written}`
      const raw = JSON.stringify({ user_id: from, at: NOW.toISOString(), said: { id, ...(message as object) } })
      return { call: { raw, signature: signCall(SECRET, raw, NOW) }, provider_message_id: visitorRef(from, id) }
    },
  }
  return { provider, far }
}

const about = 'web-msg_6b01199073cb499e66000000'

conforms(t, {
  name: 'web',
  carrier: 'web',
  open,
  to: VISITOR,
  accepted_as: {
    text: 'text',
    image: 'image',
    video: 'video',
    audio: 'audio',
    document: 'document',
    sticker: 'sticker',
    reaction: 'reaction',
    buttons: 'buttons',
    list: 'list',
    cta_url: 'cta_url',
    carousel: 'carousel',
  },
  file_link: 'https://parley.test/media/med_1',
  faults: {},
  hook: {
    sign: (raw, { visitor_secret = '', app_secret }) => signCall(app_secret ?? visitor_secret, raw, NOW),
    garbage: ['', '[]', '{}', `{"user_id":"${VISITOR}","said":{"id":"12345678","type":"image"}}`],
    from: VISITOR,
    inbound: [
      { name: 'a text', message: { type: 'text', body: 'Hola' }, type: 'text', expect: { body: 'Hola' } },
      {
        name: 'a button',
        message: { type: 'button_reply', about, reply: { id: 'yes', title: 'Yes' } },
        context: { message_id: about },
        type: 'interactive',
        expect: { interactive_type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
      },
      {
        name: 'a row of a list',
        message: { type: 'list_reply', about, reply: { id: 'fri', title: 'Friday' } },
        context: { message_id: about },
        type: 'interactive',
        expect: { interactive_type: 'list_reply', list_reply: { id: 'fri', title: 'Friday' } },
      },
      {
        name: 'a reaction',
        message: { type: 'reaction', about, emoji: '👍' },
        type: 'reaction',
        expect: { message_id: about, emoji: '👍' },
      },
    ],
  },
})
