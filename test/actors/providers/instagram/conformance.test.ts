import t from 'tap'
import { Instagram } from '../../../../actors/providers/instagram/mod.ts'
import { conforms } from '../conformance.ts'
import { PAGE_FAULTS, PAGE_INBOUND, pageSide, signMeta } from '../page_accounts.ts'
import { simulated } from '../simulated.ts'

conforms(t, {
  name: 'instagram',
  carrier: 'instagram',
  open: (t) => simulated(t, pageSide('instagram', new Instagram({ deadline_ms: 2500 }))),
  to: '6543210987654321',
  accepted_as: {
    text: 'text',
    image: 'image',
    video: 'video',
    audio: 'audio',
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
    garbage: ['', 'no', '[]', '{}', '{"object":"page","entry":[]}', '{"object":"instagram"}'],
    origin: 'app',
    inbound: PAGE_INBOUND,
  },
})
