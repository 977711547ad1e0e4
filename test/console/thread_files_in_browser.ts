/** Files in a thread, from both sides and in notes, and what the business wrote elsewhere, as an agent sees them. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { signCall } from '../../actors/providers/signed_call.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { openAgentWindow } from './agent_window.ts'

t.setTimeout(600_000)

const { page, inspect, faults, demo, api, operator, simulator, signIn } = await openAgentWindow(t)
const { project_id, base_url } = demo
const SECRET = 'a-secret-of-sixteen'
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC',
  'base64',
)
const data = PICTURE.toString('base64')
const row = (text: string) => page.locator('.inbox-row', { hasText: text })
const bubble = (text: string) => page.locator('.inbox-message', { hasText: text })
const note = page.locator('.inbox-note')
const composer = page.getByRole('region', { name: 'Composer' })
/** Resolves once each picture in the thread has its pixels. */
const arePictures = (count: number) =>
  eventually('the pictures are shown', () =>
    page.locator('.inbox-entries').evaluate((thread: Json, wanted) => {
      const all: Json[] = [...thread.querySelectorAll('img')]
      return all.length === wanted && all.every((one) => one.complete && one.naturalWidth > 0)
    }, count),
  )

const connect = (fields: Json) => operator('POST', 'channels', { project_id, ...fields })

await page.goto(`${base_url}/console#/projects/${project_id}/inbox`)
await signIn()
await page.locator('.connection.live').waitFor()

t.test('a received file is being fetched, has a reason when it could not be, and is fetched again', async (t) => {
  const sends = (message: Json) =>
    simulator('inbound', { channel: 'telegram', from: 518273111, name: 'Irma Lund', message })
  const operation = { channel: 'telegram', operation: 'getFile' }
  await sends({ text: 'Here is the plan' })
  await row('Irma').getByRole('link').click()
  await bubble('Here is the plan').waitFor()
  const error = { code: 400, message: 'Bad Request: file is too big' }
  await simulator('faults', { match: operation, error, times: 1 })
  await sends({ document: { data, mime_type: 'application/x-own', file_name: 'a rather long name of a plan.own' } })
  const file = bubble('a rather long name')
  await file.getByText('20 MB').waitFor()
  t.same(await inspect('thread-file-failed'), [])
  await file.getByRole('button', { name: 'Fetch again' }).click()
  const link = file.getByRole('link', { name: 'a rather long name of a plan.own' })
  await link.waitFor()
  t.equal(await link.getAttribute('download'), 'a rather long name of a plan.own')
  await simulator('faults', { match: operation, hang: 'before', times: 1 })
  await sends({ photo: { data, mime_type: 'image/png' }, caption: 'And a picture' })
  await bubble('And a picture').getByText('Picture, being fetched…').waitFor()
  t.same(await inspect('thread-file-pending'), [])
  await arePictures(1)
  const sources = () => page.locator('.inbox-entries img').evaluateAll((all: Json[]) => all.map(({ src }) => src))
  t.match(await sources(), [/\/thumbnail\?/], 'the thread loads the small version')
  t.match(await bubble('And a picture').locator('a.inbox-picture').getAttribute('href'), /\/download\?/)
  await row('Irma').getByText('And a picture').waitFor()
})

t.test('a video has a place of its shape, its name and its length', async (t) => {
  await simulator('inbound', { channel: 'telegram', from: 518273111, message: { video: {}, caption: 'It runs' } })
  const film = bubble('It runs').locator('figure')
  await film.getByText('0:01').waitFor()
  t.ok(await film.locator('video').getAttribute('aria-label'))
  t.same(await inspect('thread-video'), [])
})

t.test('players have room, and stay within their bubbles', async (t) => {
  await simulator('inbound', { channel: 'telegram', from: 518273111, message: { voice: {}, caption: 'It talks' } })
  const inside = (text: string, player: string) =>
    bubble(text)
      .locator('.inbox-bubble')
      .evaluate((around: Json, selector) => {
        const [outer, inner] = [around, around.querySelector(selector)].map((one) => one.getBoundingClientRect())
        return { is_inside: inner.right < outer.right && inner.left > outer.left, width: inner.width }
      }, player)
  await bubble('It talks').locator('audio').waitFor()
  for (const [text, player] of [
    ['It talks', 'audio'],
    ['It runs', 'video'],
  ] as const) {
    const { is_inside, width } = await inside(text, player)
    t.ok(is_inside, player)
    t.ok(width > 200, `${player} has ${width} pixels`)
  }
  t.same(await inspect('thread-players'), [])
})

t.test('a note has files', async (t) => {
  await page.keyboard.press('n')
  await composer.getByLabel('Files', { exact: true }).setInputFiles([
    { name: 'sketch.png', mimeType: 'image/png', buffer: PICTURE },
    { name: 'offer.txt', mimeType: 'text/plain', buffer: Buffer.from('ten') },
  ])
  await eventually('both are uploaded', async () => (await composer.locator('progress').count()) === 0)
  await page.getByRole('textbox', { name: 'Note', exact: true }).fill('See the sketch')
  await composer.getByText('Saved', { exact: true }).waitFor()
  t.same(await inspect('note-files-composer'), [])
  await page.keyboard.press('Enter')
  await note.getByText('See the sketch').waitFor()
  t.equal(await note.getByRole('link', { name: 'offer.txt' }).getAttribute('download'), 'offer.txt')
  await arePictures(2)
  t.same(await inspect('note-files'), [])
})

t.test('messages from a phone say so, and have no button that sends them again', async (t) => {
  const webhook_secret = SECRET
  const credentials = { api_base_url: demo.simulator_url, instance: 'shop', api_key: 'key', webhook_secret }
  const phone = await connect({ channel_type: 'whatsapp', provider: 'qr', name: 'Phone', credentials })
  let count = 0
  const tells = async (text: string, fromMe: boolean) => {
    const remoteJid = '5511988887777@s.whatsapp.net'
    const body = {
      event: 'messages.upsert',
      instance: 'shop',
      sender: '5511900000000@s.whatsapp.net',
      data: {
        key: { remoteJid, fromMe, id: `3EB0${++count}`, ...(fromMe && { senderPn: '5511900000000@s.whatsapp.net' }) },
        pushName: fromMe ? 'The shop' : 'Beatriz Lima',
        message: { conversation: text },
        messageTimestamp: Math.floor(Date.now() / 1000),
      },
    }
    const headers = { 'content-type': 'application/json', 'x-parley-secret': SECRET }
    const answer = await fetch(`${base_url}${phone.webhook_path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    t.equal(answer.status, 200)
  }
  await tells('Are you open today?', false)
  await row('Beatriz').getByRole('link').click()
  await bubble('Are you open').waitFor()
  await tells('Yes, until six.', true)
  const said = page.locator('.inbox-message.is-outbound', { hasText: 'Yes, until six.' })
  await said.getByText('From the phone').waitFor()
  await row('Beatriz').getByText('Yes, until six.').waitFor()
  t.same(await inspect('thread-origin'), [])
})

t.test('what people share shows its file, or the link where there is none', async (t) => {
  const sends = (message: Json) => simulator('inbound', { channel: 'instagram', from: '6543210987650001', message })
  await sends({ type: 'ig_post', ig_post: { data, mime_type: 'image/png', title: 'The spring collection' } })
  await row('The spring collection').getByRole('link').click()
  const post = bubble('The spring collection')
  await post.getByText('Post', { exact: true }).waitFor()
  await arePictures(1)
  t.equal(await post.getByRole('link', { name: 'Open the link' }).count(), 0, 'the link of a stored file expires')
  const html = Buffer.from('<!DOCTYPE html><title>Gone</title>').toString('base64')
  await sends({ type: 'text', text: { body: 'I love this one' }, story: { data: html, mime_type: 'text/html' } })
  const answer = bubble('I love this one')
  await answer.getByText('Answers a story').waitFor()
  await answer.getByText('Story: The provider sent a web page').waitFor()
  await answer.getByRole('link', { name: 'Open the link' }).waitFor()
  const page_of_reel = 'https://www.instagram.com/reel/DaJLEKKKgay/'
  await sends({ attachments: [{ type: 'ig_reel', payload: { url: page_of_reel, title: 'Only a page' } }] })
  const reel = bubble('Only a page')
  t.equal(await reel.getByRole('link', { name: 'Open the link' }).getAttribute('href'), page_of_reel)
  const post_with_text = { type: 'share', payload: { url: 'https://www.example.com/shoes' } }
  await sends({ text: 'Have you got these?', attachments: [post_with_text] })
  const shared = bubble('Have you got these?').getByRole('link', { name: 'Open the link' })
  t.equal(await shared.getAttribute('href'), 'https://www.example.com/shoes')
  t.same(await inspect('thread-shared'), [])
})

t.test('a mail has its files, and the reason of one that has gone', async (t) => {
  const credentials = {
    smtp_url: 'smtp://nobody:nothing@127.0.0.1:9',
    from: 'lost@ferry.example',
    inbound_secret: SECRET,
  }
  const mailbox = await connect({ channel_type: 'email', provider: 'cloud', name: 'Lost and found', credentials })
  const post = async (path: string, signed: string, headers: Record<string, string>, body: Buffer) => {
    const signature = { 'x-parley-signature': signCall(SECRET, signed, new Date()) }
    const answer = await fetch(`${base_url}${mailbox.webhook_path}${path}`, {
      method: 'POST',
      headers: { ...signature, ...headers },
      body,
    })
    t.equal(answer.status, 200)
    return answer
  }
  const sha256 = createHash('sha256').update(PICTURE).digest('hex')
  const { media_id } = (await (await post('/files', sha256, { 'x-parley-sha256': sha256 }, PICTURE)).json()) as Json
  const file = (filename: string, fields: Json = {}) => ({ filename, mime_type: 'image/png', size: 70, ...fields })
  const mail = JSON.stringify({
    message_id: '<f1@ferry.example>',
    from: { address: 'rosa@ferry.example', name: 'Rosa Lund' },
    subject: 'Lost umbrella',
    text: 'It is blue.',
    attachments: [
      file('umbrella.png', { media_id }),
      file('ticket.png', { media_id: 'f'.repeat(24) }),
      file('seat.png'),
    ],
  })
  await post('', mail, { 'content-type': 'application/json' }, Buffer.from(mail))
  await row('Rosa').getByRole('link').click()
  const files = bubble('Lost umbrella').getByRole('list', { name: 'Attachments' })
  const download = page.waitForEvent('download')
  await files.getByRole('link', { name: 'umbrella.png' }).click()
  t.equal((await download).suggestedFilename(), 'umbrella.png')
  await files.getByText('ticket.png').waitFor()
  t.equal(await files.getByRole('button').count(), 0, 'one that has gone cannot be fetched')
  t.equal(await files.getByRole('link').count(), 1)
  t.same(await inspect('mail-files'), [])
  t.ok(await api('GET', `media/${media_id}?phone_number_id=none`))
})

t.test('the page has no error in any of these tests', async (t) => {
  t.same(faults, [])
})
