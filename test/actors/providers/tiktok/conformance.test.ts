import t from 'tap'
import { conforms } from '../conformance.ts'
import { simulated } from '../simulated.ts'
import { signTikTok, startPictures, tiktokSide } from './account.ts'

conforms(t, {
  name: 'tiktok',
  carrier: 'tiktok',
  async open(t) {
    const pictures = await startPictures(t)
    const { provider, far } = await simulated(t, tiktokSide())
    return { provider, far: { ...far, messages: { image: { type: 'image', link: `${pictures}/200/image/png/64` } } } }
  },
  to: 'u5JhpselBAhoPOlnH0tZ9y07kg==',
  accepted_as: { text: 'text', image: 'image' },
  faults: {
    auth: { code: '40105' },
    rate: { code: '40100', scope: 'channel', says_when: true },
    permanent: { code: '40002' },
    garbage: { code: 'http_502' },
    reset_after: { code: 'connection_reset' },
    hang: {},
  },
  file_link: 'https://files.example.com/media/1',
  hook: {
    sign: signTikTok,
    garbage: ['', 'no', '[]', '{}', '{"event":{}}'],
    origin: 'app',
    inbound: [
      { name: 'text', message: 'Hi ☀', type: 'text', expect: { body: 'Hi ☀' } },
      { name: 'an answer', message: 'Yes', context: { message_id: 'quoted' }, type: 'text', expect: { body: 'Yes' } },
      {
        name: 'image',
        message: { type: 'image', image: { media_id: 'media-1' } },
        type: 'image',
        expect: { media_id: 'media-1' },
      },
      {
        name: 'shared post',
        message: { type: 'share_post', share_post: { video_id: 'v1', embed_url: 'https://www.tiktok.com/v1' } },
        type: 'share_post',
        expect: { video_id: 'v1', embed_url: 'https://www.tiktok.com/v1' },
      },
      { name: 'a type nobody knows', message: { type: 'sticker', sticker: {} }, type: 'sticker' },
    ],
  },
})
