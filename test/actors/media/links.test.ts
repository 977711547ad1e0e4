import t from 'tap'
import { isMediaLink, mediaLink } from '../../../actors/mod.ts'
import { objectId, openVault } from '../../../storage/mod.ts'

const vault = openVault('a secret of some length')
const now = new Date('2026-11-21T15:00:00Z')
const DAY_MS = 86_400_000
const BASE_URL = 'https://parley.test/'

function parts(address: string) {
  const { origin, pathname } = new URL(address)
  const [, root, media_id, expires, signature, name] = pathname.split('/') as string[]
  return { origin, root, name, link: { media_id: media_id!, expires: expires!, signature: signature! } }
}

t.test('a link lasts a week or a little longer, and is the same all day', (t) => {
  const file = { media_id: objectId(), filename: 'Olá/../1.png' }
  const address = mediaLink(BASE_URL, vault, file, now)
  const { origin, root, name, link } = parts(address)
  t.strictSame(
    [origin, root, name, link.media_id],
    ['https://parley.test', 'media', 'Ol%C3%A1%2F..%2F1.png', file.media_id],
  )
  t.equal(mediaLink(BASE_URL, vault, file, new Date('2026-11-21T23:59:59Z')), address)
  t.not(mediaLink(BASE_URL, vault, file, new Date('2026-11-22T00:00:00Z')), address)
  t.ok(isMediaLink(vault, link, now))
  t.ok(isMediaLink(vault, link, new Date(now.getTime() + 7 * DAY_MS)))
  t.notOk(isMediaLink(vault, link, new Date(now.getTime() + 9 * DAY_MS)))
  t.equal(parts(mediaLink(BASE_URL, vault, { media_id: file.media_id }, now)).name, undefined, 'a file without a name')
  t.end()
})

t.test('a link cannot be made up', (t) => {
  const media_id = objectId()
  const { link } = parts(mediaLink(BASE_URL, vault, { media_id }, now))
  const forged = [
    { ...link, media_id: objectId() },
    { ...link, expires: String(Number(link.expires) + 1) },
    { ...link, expires: `0${link.expires}` },
    { ...link, signature: '' },
    { ...link, signature: `${link.signature}x` },
    parts(mediaLink(BASE_URL, openVault('another secret of length'), { media_id }, now)).link,
  ]
  for (const one of forged) t.notOk(isMediaLink(vault, one, now), JSON.stringify(one))
  t.end()
})
