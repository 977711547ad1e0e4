/** Files of visitors that are under way at once. */
import { once } from 'node:events'
import { request } from 'node:http'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { makeTenant, startWorld } from '../e2e/fixture.ts'
import { connectWeb, visitPage } from './visitor_page.ts'

const PLACES = 32
/** Of one company. */
const MAX = 16
const SIZE = 100_000

// All places of the node are taken, by clients whose addresses a trusted proxy names.
const world = await startWorld(t, { config: { trusted_proxies: ['127.0.0.0/8'] } })
const { base_url } = world

type Upload = { answer: Promise<Json>; status: number | undefined; finish(): void }

/** Begins to send a file, and goes on byte by byte. */
async function begin(channel: string, address: string): Promise<Upload> {
  const visitor = await visitPage(t, { base_url, channel })
  const { path } = await visitor.ask('upload', { size: SIZE, filename: 'a.txt' })
  const headers = { 'content-length': SIZE, 'x-forwarded-for': address }
  const sending = request(`${base_url}/${path}`, { method: 'POST', headers })
  let sent = 0
  const send = (count: number) => {
    sending.write('a'.repeat(count))
    sent += count
  }
  const going = setInterval(() => send(1), 500)
  t.teardown(() => {
    clearInterval(going)
    sending.destroy()
  })
  sending.on('error', () => {})
  const answered = once(sending, 'response').then(async ([response]) => {
    upload.status = response.statusCode
    clearInterval(going)
    let text = ''
    for await (const piece of response) text += piece
    return JSON.parse(text) as Json
  })
  answered.catch(() => {})
  const upload: Upload = {
    answer: answered,
    status: undefined,
    finish() {
      clearInterval(going)
      sending.end('a'.repeat(SIZE - sent))
    },
  }
  send(1)
  return upload
}

t.test('slow uploads that take all places make room for a visitor of another company', async (t) => {
  const channels = []
  for (let at = 0; at < 3; at++) channels.push(await connectWeb(world, await makeTenant(world)))
  const [first, second, third] = channels as [string, string, string]
  const slow: Upload[] = []
  for (let at = 0; at < PLACES; at++) {
    slow.push(at < MAX ? await begin(first, '198.51.100.1') : await begin(second, '198.51.100.2'))
  }
  const refused = await eventually('a company has no more places', async () => {
    const one = await begin(second, '198.51.100.2')
    one.finish()
    const answer = await one.answer
    return one.status === 503 && answer
  })
  t.match(refused, { error: { code: 'SERVICE_UNAVAILABLE', message: /Many files are being sent/, retry_after_s: 5 } })
  const ended = () => slow.filter(({ status }) => status !== undefined)
  t.strictSame(ended(), [])
  await eventually('the visitor of another company has sent a file', async () => {
    const one = await begin(third, '198.51.100.3')
    one.finish()
    const answer = await one.answer
    if (one.status !== 200) t.match(answer, { error: { code: 'SERVICE_UNAVAILABLE' } })
    return one.status === 200
  })
  await eventually('an upload had to make room', () => ended().length > 0)
  t.strictSame(
    ended().map(({ status }) => status),
    [503],
  )
  t.match(await ended()[0]!.answer, { error: { code: 'SERVICE_UNAVAILABLE', retry_after_s: 5 } })
})
