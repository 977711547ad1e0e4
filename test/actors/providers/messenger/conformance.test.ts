import t from 'tap'
import { Messenger } from '../../../../actors/providers/messenger/mod.ts'
import { conforms } from '../conformance.ts'
import { PAGE_FAULTS, PAGE_INBOUND, pageSide, signMeta } from '../page_accounts.ts'
import { simulated } from '../simulated.ts'

conforms(t, {
  name: 'messenger',
  carrier: 'messenger',
  open: (t) => simulated(t, pageSide('messenger', new Messenger({ deadline_ms: 2500 }))),
  to: '6543210987654321',
  accepted_as: {
    text: 'text',
    image: 'image',
    video: 'video',
    audio: 'audio',
    document: 'file',
    sticker: 'image',
    reaction: 'reaction',
    buttons: 'quick_replies',
    list: 'quick_replies',
    cta_url: 'button_template',
    carousel: 'generic_template',
  },
  without_id: ['reaction'],
  faults: PAGE_FAULTS,
  file_link: 'https://files.example.com/media/1',
  hook: {
    sign: signMeta,
    garbage: ['', 'no', '[]', '{}', '{"object":"instagram","entry":[]}', '{"object":"page"}'],
    origin: 'app',
    inbound: [
      ...PAGE_INBOUND,
      {
        name: 'file',
        message: { attachments: [{ type: 'file', payload: { url: 'https://cdn.example.com/a.pdf' } }] },
        type: 'document',
        expect: { link: 'https://cdn.example.com/a.pdf', filename: 'a.pdf' },
        file: 'https://cdn.example.com/a.pdf',
      },
    ],
  },
})
