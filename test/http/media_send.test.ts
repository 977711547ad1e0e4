/** Uploaded files in messages. */
import t from 'tap'
import { broadcastWhen, recipientsOf, sendBulk } from '../e2e/broadcast_client.ts'
import { eventually } from '../e2e/client.ts'
import { joinWorld, makeTenant } from '../e2e/fixture.ts'
import { makeKeptTenant, upload } from './media_client.ts'
import { files } from './media_files.ts'

t.test('a message carries an uploaded file with its type', async (t) => {
  const world = await joinWorld(t)
  const tenant = await makeTenant(world)
  const other = await makeTenant(world)
  const image = (await upload(tenant, files.png)).body
  const pdf = (await upload(tenant, files.pdf, { filename: 'a.pdf' })).body
  const foreign = (await upload(other, files.png)).body
  const action = { display_text: 'Go', url: 'https://example.com' }
  const card = (media_id: string) => ({ header: { type: 'image', media_id }, body_text: 'x', action })
  const promo = { name: 'promo_picture', language: 'en_US' }
  const variables = (header_image: string) => ({ 1: 'Ana', header_image })
  const template = (media_id: string) => ({ type: 'template', ...promo, variables: variables(media_id) })
  const to = '+5215512340002'
  await world.control('PUT', 'windows', { recipient: to, open: true })
  const sent: [object, RegExp][] = [
    [{ type: 'image', media_id: image.media_id, caption: 'x' }, /"image":\{"id":"8\d+"/],
    [{ type: 'document', media_id: pdf.media_id }, /"document":\{"id":"8\d+","filename":"a\.pdf"\}/],
    [{ type: 'document', media_id: pdf.media_id, filename: 'b.pdf' }, /"filename":"b\.pdf"/],
    [
      { type: 'carousel', body_text: 'x', cards: [card(image.media_id), card(image.media_id)] },
      /"image":\{"id":"8\d+"/,
    ],
    [template(image.media_id), /"image":\{"id":"8\d+"/],
    [template('https://example.com/a.png'), /"image":\{"link":"https:/],
  ]
  for (const [message, expected] of sent) {
    const answer = await tenant.send(to, { message })
    t.equal(answer.status, 202, answer.text)
    await tenant.message(answer.body.id, 'sent', 'delivered', 'read')
    const [last] = (await tenant.sent()).slice(-1)
    t.match(JSON.stringify(last.body), expected)
    t.notMatch(JSON.stringify(last.body), image.media_id)
  }
  const refused: [object, string][] = [
    [{ type: 'image', media_id: foreign.media_id }, 'MEDIA_NOT_FOUND'],
    [{ type: 'image', media_id: 'f'.repeat(24) }, 'MEDIA_NOT_FOUND'],
    [{ type: 'audio', media_id: image.media_id }, 'MEDIA_NOT_ACCEPTED'],
    [{ type: 'carousel', body_text: 'x', cards: [card(image.media_id), card(pdf.media_id)] }, 'MEDIA_NOT_ACCEPTED'],
    [template(foreign.media_id), 'MEDIA_NOT_FOUND'],
    [template(pdf.media_id), 'MEDIA_NOT_ACCEPTED'],
  ]
  for (const [message, code] of refused) {
    const answer = await tenant.send(to, { message })
    t.strictSame([answer.status, answer.body.error?.code], [422, code], JSON.stringify(message))
  }

  const recipients = [image, foreign].map(({ media_id }, n) => ({
    phone: `+521551234010${n}`,
    variables: variables(media_id),
  }))
  const broadcast = await sendBulk(tenant, recipients, { template_name: promo.name })
  await broadcastWhen(tenant, broadcast, 'is over', ({ pending_count, sent_count }) => pending_count + sent_count === 0)
  t.match(await recipientsOf(tenant, broadcast, '&status=failed'), [
    { phone: recipients[1]!.phone, error: { code: 'MEDIA_NOT_FOUND' } },
  ])
  const [bulk] = (await tenant.sent()).slice(-1)
  t.match(JSON.stringify(bulk!.body), /"image":\{"id":"8\d+"/)

  // The file was uploaded while no number kept files, and is then sent from a number: the provider fetches it.
  const late = await makeKeptTenant(world)
  const kept = (await upload(late, files.png, { filename: 'a.png' })).body
  await world.operator('PATCH', `channels/${late.number.channel_id}`, { is_active: true })
  const answer = await late.send(to, { message: { type: 'image', media_id: kept.media_id } })
  t.equal(answer.status, 202, answer.text)
  const link = await eventually('it was sent', async () => (await late.sent())[0]?.body.image.link)
  const fetched = await world.http('GET', link)
  t.match(fetched, {
    status: 200,
    headers: { 'content-type': 'image/png', 'content-length': String(files.png.length) },
  })
  t.equal((await late.send(to, { message: template(kept.media_id) })).status, 202)
  const sent_late = await eventually('the template was sent', async () => (await late.sent())[1])
  t.match(JSON.stringify(sent_late.body), new RegExp(`"image":\\{"link":"http[^"]+/media/${kept.media_id}/`))
})
