import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { openUploaded } from '../../../actors/mod.ts'
import { filesOf, readFiles } from '../../../actors/project/files/files.ts'
import type { ProjectChannel } from '../../../actors/project/turn/state.ts'
import { type Media, objectId, openBlobs, storeMedia } from '../../../storage/mod.ts'
import { storeChannel, storeTenant } from '../../storage/records.ts'
import { tempDir, testDatabase } from '../../support/mod.ts'

t.test('the files that a message names', (t) => {
  const action = { display_text: 'Go', url: 'https://example.com' }
  const cases: [Parameters<typeof filesOf>[0], [string, string][]][] = [
    [{ type: 'text', body: 'x' }, []],
    [{ type: 'image', media_id: '1' }, [['1', 'image']]],
    [{ type: 'image', link: 'https://x' }, []],
    [{ type: 'sticker', media_id: '1' }, [['1', 'sticker']]],
    [{ type: 'buttons', body_text: 'x', buttons: [], header: { type: 'video', media_id: '2' } }, [['2', 'video']]],
    [{ type: 'buttons', body_text: 'x', buttons: [], header: { type: 'text', text: 'x' } }, []],
    [{ type: 'buttons', body_text: 'x', buttons: [] }, []],
    [
      {
        type: 'carousel',
        body_text: 'x',
        cards: [
          { header: { type: 'image', media_id: '3' }, action },
          { header: { type: 'image', link: 'https://x' }, action },
          { header: { type: 'video', media_id: '4' }, action },
        ],
      },
      [
        ['3', 'image'],
        ['4', 'video'],
      ],
    ],
    [
      {
        type: 'template',
        name: 'x',
        language: 'en',
        variables: {
          1: '4',
          header_image: 'https://x',
          header_document: '5',
          card_0_header_video: '6',
          header_name: '7',
        },
      },
      [
        ['5', 'document'],
        ['6', 'video'],
      ],
    ],
    [{ type: 'template', name: 'x', language: 'en' }, []],
  ]
  for (const [message, expected] of cases) t.strictSame([...filesOf(message)], expected, JSON.stringify(message))
  t.end()
})

t.test('a file is found only in its project, for its channel, with its kind, before it expires', async (t) => {
  const { database } = await testDatabase(t)
  const { project } = await storeTenant(database)
  const other = await storeTenant(database)
  const now = new Date()
  const whatsapp = await storeChannel(database, project)
  const channel = (id: string, channel_type: string, provider: string) =>
    ({ id, channel_type, provider }) as unknown as ProjectChannel
  const cloud = channel(whatsapp._id, 'whatsapp', 'cloud')
  const second = channel(objectId(), 'whatsapp', 'cloud')
  const telegram = channel(objectId(), 'telegram', 'cloud')
  const email = channel(objectId(), 'email', 'smtp')

  const store = async (fields: Partial<Media>) => {
    const media_id = objectId()
    const row = {
      media_id,
      company_id: project.company_id,
      project_id: project._id,
      mime_type: 'image/png',
      file_size: 5,
      sha256: '0'.repeat(64),
      filename: 'a.png',
      blob_key: media_id,
      created_at: now,
      expires_at: new Date(now.getTime() + 60_000),
      ...fields,
    } as Media
    await storeMedia(database, row)
    return media_id
  }
  const here = await store({})
  const there = await store({ blob_key: null, channel_id: whatsapp._id, provider_media_id: '8001' })
  const over = await store({ expires_at: now })
  const foreign = await store({ project_id: other.project._id })

  const where = { project_id: project._id, base_url: 'https://api.example.com/' }
  const files = await readFiles(database, where, [here, there, over, foreign, '8002'], now)
  t.match(files.of(here, telegram, 'image'), {
    media_id: here,
    provider_media_id: null,
    link: new RegExp(`^https://api.example.com/media/${here}/\\d+/[\\w-]+/a.png$`),
    mime_type: 'image/png',
    filename: 'a.png',
  })
  t.ok(files.of(here, cloud, 'document').link, 'WhatsApp fetches what is kept here')
  t.match(files.of(there, cloud), { provider_media_id: '8001', mime_type: 'image/png' })
  t.match(files.of('8002', cloud, 'image'), { provider_media_id: '8002', link: '', mime_type: null })

  const refused: [string, ProjectChannel, string][] = [
    [there, second, 'MEDIA_NOT_FOUND'],
    [there, telegram, 'MEDIA_NOT_FOUND'],
    [over, telegram, 'MEDIA_NOT_FOUND'],
    [foreign, cloud, 'MEDIA_NOT_FOUND'],
    [objectId(), cloud, 'MEDIA_NOT_FOUND'],
    ['8002', email, 'MEDIA_NOT_FOUND'],
  ]
  for (const [id, on, code] of refused)
    t.throws(() => files.of(id, on, 'image'), { code }, `${id} on ${on.channel_type}`)
  t.throws(() => files.of(here, telegram, 'audio'), {
    code: 'MEDIA_NOT_ACCEPTED',
    details: { media_id: here, mime_type: 'image/png', file_size: 5, kinds: ['image', 'document'] },
  })

  const blobs = await openBlobs(`file://${tempDir(t)}`)
  await blobs.put(here, Readable.from([Buffer.from('bytes')]))
  const open = openUploaded(database, blobs)
  const { stream, ...facts } = await open(here)
  t.strictSame(facts, { filename: 'a.png', mime_type: 'image/png' })
  t.equal(await text(stream), 'bytes')
  for (const id of [over, there, objectId(), 'x']) await t.rejects(open(id), { code: 'MEDIA_NOT_FOUND' })
})
