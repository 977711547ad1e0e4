/**
 * Uploading, reading and deleting files, over a whole Parley and a simulated WhatsApp. One file, because its parts
 * share one Parley and check the same table and directories for leftovers.
 */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t from 'tap'
import { readFiles } from '../../actors/project/files/files.ts'
import { tidyMedia } from '../../http/media/tidy.ts'
import { spool } from '../../http/media/upload_form.ts'
import { type Media, openBlobs, openDatabase, openVault } from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { connectNumber, makeTenant, startWorld, type Tenant } from '../e2e/fixture.ts'
import { tempDir } from '../support/mod.ts'
import { callOf, filesOf, formOf, makeKeptTenant, sha256, type Upload, upload } from './media_client.ts'
import { files, padded, stickerOf } from './media_files.ts'

const MIB = 1024 * 1024

t.test('media', async (t) => {
  // A node to itself, because the tests look at its directory.
  const world = await startWorld(t)
  const tenant = await makeTenant(world)
  const kept = await makeKeptTenant(world)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const rows = (project_id: string) =>
    database.execute<Media>(`select * from media where project_id = ? order by media_id`, [project_id])
  const of = ({ number }: Tenant) => `?phone_number_id=${number.phone_number_id}`
  /** Returns the file that the simulated WhatsApp has under an id, asked with the number's own token. */
  const atProvider = async ({ number }: Tenant, id: string) => {
    const { access_token } = number as unknown as { access_token: string }
    return (await world.http('GET', `${world.simulator_url}/${id}`, { token: access_token })).body
  }

  /** The temporary file goes shortly after the answer. */
  const nothingLeft = () => eventually('no file is left', () => filesOf(world).length === 0)

  t.test('a quote in a filename is kept as forms of browsers write it', async (t) => {
    const filename = 'Offer "A", 100%.pdf'
    const { body } = await upload(tenant, files.pdf, { filename })
    t.equal(body.filename, filename)
    t.equal((await tenant.api('DELETE', `media/${body.media_id}${of(tenant)}`)).status, 204)
  })

  t.test('a file for a number is kept by WhatsApp and can be read back', async (t) => {
    const answer = await upload(tenant, files.jpeg, { filename: 'C:\\photos\\Olá (1).jpg', part_type: 'text/html' })
    t.equal(answer.status, 200)
    const { media_id, expires_at, ...facts } = answer.body
    const filename = 'Olá (1).jpg'
    const size = files.jpeg.length
    t.strictSame(facts, { mime_type: 'image/jpeg', file_size: size, sha256: sha256(files.jpeg), filename })
    t.match(media_id, /^[0-9a-f]{24}$/)
    t.equal(Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000), 30)
    const [row] = await rows(tenant.project_id)
    t.match(row, { media_id, channel_id: tenant.number.channel_id, blob_key: null })
    t.match(await atProvider(tenant, row!.provider_media_id!), { mime_type: 'image/jpeg', file_size: size })
    await nothingLeft()

    const record = await tenant.api('GET', `media/${media_id}${of(tenant)}`)
    t.match(record.body, { ...answer.body, url: /^http/ })
    const by_channel = await tenant.api('GET', `media/${media_id}?phone_number_id=${tenant.number.channel_id}`)
    t.equal(by_channel.status, 200, 'the id of the channel names it as well')
    const theirs = await tenant.api('GET', `media/${row!.provider_media_id}${of(tenant)}`)
    t.match(theirs.body, { media_id, filename }, "WhatsApp's own id leads to the same")

    const download = await tenant.api('GET', `media/${media_id}/download${of(tenant)}`)
    t.match(download, {
      status: 200,
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(size),
        'content-disposition': `attachment; filename="Ol_ (1).jpg"; filename*=UTF-8''Ol%C3%A1%20%281%29.jpg`,
        'x-content-type-options': 'nosniff',
        etag: `"${sha256(files.jpeg)}"`,
      },
    })
    t.match(
      await tenant.api('GET', `media/${media_id}/download${of(tenant)}`, undefined, { headers: { range: 'bytes=-5' } }),
      {
        status: 206,
        headers: { 'content-range': `bytes ${size - 5}-${size - 1}/${size}`, 'content-length': '5' },
        text: '\u0001'.repeat(5),
      },
    )

    t.equal((await tenant.api('DELETE', `media/${media_id}${of(tenant)}`)).status, 204)
    t.match(await atProvider(tenant, row!.provider_media_id!), { error: { code: 100 } }, 'it is gone there')
    t.strictSame(await rows(tenant.project_id), [])
    for (const method of ['GET', 'DELETE']) {
      t.equal((await tenant.api(method, `media/${media_id}${of(tenant)}`)).status, 404)
    }
  })

  t.test("a received file is read by the provider's id", async (t) => {
    const message = { type: 'image', image: { mime_type: 'image/png', data: files.png.toString('base64') } }
    await tenant.writes('5215512340001', message)
    const listed = await eventually('the picture is there', async () =>
      (await tenant.api('GET', 'messages')).body.data.find((one: { type: string }) => one.type === 'image'),
    )
    const id = listed.message.id ?? listed.message.media_id ?? listed.message.image?.id
    const record = await tenant.api('GET', `media/${id}${of(tenant)}`)
    t.match(record.body, { media_id: id, mime_type: 'image/png', filename: null, expires_at: null, url: /^http/ })
    const download = await tenant.api('GET', `media/${id}/download${of(tenant)}`)
    t.equal(download.headers['content-length'], String(record.body.file_size))
    t.match(download.text, /^.PNG/s)
    const other = await makeTenant(world)
    t.equal((await other.api('GET', `media/${id}${of(other)}`)).status, 404, 'with another number it is none')
    t.equal((await tenant.api('DELETE', `media/${id}${of(tenant)}`)).status, 204)
    t.equal((await tenant.api('GET', `media/${id}${of(tenant)}`)).status, 404)
  })

  t.test('a provider id of anything but a file is not found', async (t) => {
    const { phone_number_id, business_account_id } = tenant.number as unknown as Record<string, string>
    for (const id of [
      phone_number_id,
      business_account_id,
      'me',
      '123456789',
      'ffffffffffffffffffffffff',
      'a..b',
      '1%2f2',
    ]) {
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['GET', '/download'],
      ] as const) {
        t.equal((await tenant.api(method, `media/${id}${path}${of(tenant)}`)).status, 404, `${method} ${id}${path}`)
      }
    }
    const asked = await tenant.api('GET', `media/${'1'.repeat(15)}?phone_number_id=${phone_number_id}`)
    t.equal(asked.status, 404)
  })

  t.test('phone_number_id is required and must be one of the project', async (t) => {
    const { media_id } = (await upload(tenant, files.png)).body
    const other = await makeTenant(world)
    const second = await connectNumber(world, (await makeTenant(world)).project_id)
    const missing = await tenant.api('GET', `media/${media_id}`)
    t.match(missing.body.error.details.violations, [{ path: 'phone_number_id', code: 'required' }])
    for (const phone_number_id of [other.number.phone_number_id, second.phone_number_id, 'none']) {
      t.equal((await tenant.api('GET', `media/${media_id}?phone_number_id=${phone_number_id}`)).status, 404)
    }
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/download'],
    ] as const) {
      t.equal((await other.api(method, `media/${media_id}${path}${of(other)}`)).status, 404, 'of another project')
      t.equal((await other.api(method, `media/${media_id}${path}${of(tenant)}`)).status, 404, 'with its number')
    }
    t.equal((await tenant.api('GET', `media/${media_id}${of(tenant)}`)).status, 200, 'it is still there')
  })

  t.test('an upload names its number among several, and only an active one of the project', async (t) => {
    const many = await makeTenant(world)
    const second = await connectNumber(world, many.project_id)
    const unnamed = await upload(many, files.png)
    t.match([unnamed.status, unnamed.body.error.code], [422, 'CHANNEL_REQUIRED'])
    t.strictSame(
      unnamed.body.error.details.channels.map((one: { id: string }) => one.id).sort(),
      [many.number.channel_id, second.channel_id].sort(),
    )
    const cases: [string, number, string | undefined][] = [
      [second.phone_number_id, 200, second.channel_id],
      [many.number.channel_id, 200, many.number.channel_id],
      [tenant.number.phone_number_id, 422, 'CHANNEL_NOT_FOUND'],
      ['nobody', 422, 'CHANNEL_NOT_FOUND'],
    ]
    for (const [phone_number_id, status, expected] of cases) {
      const answer = await upload(many, files.png, { phone_number_id })
      t.equal(answer.status, status, phone_number_id)
      if (status !== 200) t.equal(answer.body.error.code, expected)
      else t.match((await rows(many.project_id)).at(-1), { media_id: answer.body.media_id, channel_id: expected })
    }
    const off = await upload(kept, files.png, { phone_number_id: kept.number.phone_number_id })
    t.match([off.status, off.body.error.code], [422, 'CHANNEL_NOT_CONNECTED'])
  })

  t.test('the bytes of a file decide whether WhatsApp takes it', async (t) => {
    const accepted: [string, Buffer, string, Upload?][] = [
      ['a picture', files.jpeg, 'image/jpeg', { filename: 'x.txt', part_type: 'text/plain', type: 'image' }],
      ['another', files.png, 'image/png', { type: 'image/png' }],
      ['a sticker', files.webp, 'image/webp', { type: 'sticker' }],
      ['the largest sticker', stickerOf(100 * 1024, false), 'image/webp'],
      ['the largest moving one', stickerOf(500 * 1024, true), 'image/webp'],
      ['the largest picture', padded(files.jpeg, 5 * MIB), 'image/jpeg'],
      ['a film', files.mp4, 'video/mp4'],
      ['a voice', files.opus, 'audio/ogg', { type: 'audio/ogg; codecs=opus' }],
      ['m4a', files.m4a, 'audio/mp4', { type: 'audio' }],
      ['a table', files.latin1, 'text/csv', { filename: 'people.CSV' }],
      ['a spreadsheet', files.xls, 'application/vnd.ms-excel'],
      ['a contract', files.docx, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ]
    for (const [what, bytes, mime_type, fields] of accepted) {
      const { status, body } = await upload(tenant, bytes, fields)
      t.strictSame([status, body.mime_type, body.file_size], [200, mime_type, bytes.length], what)
    }
    const refused: [string, Buffer, RegExp, Upload?][] = [
      [
        'a picture with a lying type',
        files.gif,
        /no files of type image\/gif/,
        { filename: 'a.png', part_type: 'image/png' },
      ],
      ['a program', files.exe, /no files of type application\/x-msdownload/, { filename: 'a.pdf' }],
      ['another codec', files.vorbis, /no files of type audio\/ogg/],
      ['bytes of no type', files.binary, /no files of type application\/octet-stream/],
      ['an archive', files.zip, /no files of type application\/zip/],
      ['too large a picture', padded(files.jpeg, 5 * MIB + 1), /image\/jpeg up to 5242880 bytes/],
      ['too large a sticker', stickerOf(100 * 1024 + 2, false), /image\/webp up to 102400 bytes/],
      ['too large a moving one', stickerOf(500 * 1024 + 2, true), /image\/webp up to 512000 bytes/],
      ['too large a film', padded(files.mp4, 16 * MIB + 1), /video\/mp4 up to 16777216 bytes/],
      ['another type than announced', files.jpeg, /is image\/jpeg, not image\/png/, { type: 'image/png' }],
      ['another kind than announced', files.jpeg, /cannot be sent as audio/, { type: 'audio' }],
    ]
    const before = (await rows(tenant.project_id)).length
    for (const [what, bytes, message, fields] of refused) {
      const { status, body } = await upload(tenant, bytes, fields)
      t.strictSame([status, body.error?.code], [422, 'MEDIA_NOT_ACCEPTED'], what)
      t.match(body.error.message, message, what)
      t.match(body.error.details, { mime_type: String, file_size: bytes.length }, what)
    }
    const { body } = await upload(tenant, files.gif)
    t.match(
      body.error.details.accepted.find((one: { mime_type: string }) => one.mime_type === 'image/png'),
      { max_bytes: 5 * MIB },
    )
    t.equal((await rows(tenant.project_id)).length, before, 'none of them is kept')
    await nothingLeft()
  })

  t.test('a refusal names every mistake of a form at once', async (t) => {
    const form = (...parts: [string, string | File][]) => {
      const made = new FormData()
      for (const [name, value] of parts) made.append(name, value)
      return made
    }
    const file = (name = 'a.png') => new File([new Uint8Array(files.png)], name)
    const cases: [string, FormData, string[]][] = [
      ['no part', form(), ['file required']],
      ['no file', form(['type', 'image']), ['file required']],
      ['a text for a file', form(['file', 'hello']), ['file invalid_type', 'file required']],
      ['two files', form(['file', file()], ['file', file('b.png')]), ['file duplicate']],
      ['a file by another name', form(['picture', file()]), ['picture unknown_property', 'file required']],
      ['an unknown text', form(['file', file()], ['caption', 'x']), ['caption unknown_property']],
      ['what the token says', form(['company', 'x'], ['file', file()]), ['company unknown_property']],
      ['a text twice', form(['type', 'image'], ['type', 'image'], ['file', file()]), ['type duplicate']],
      ['a wrong type', form(['type', 'picture'], ['file', file()]), ['type invalid_format']],
      ['a wrong type and no file', form(['type', 'picture']), ['file required', 'type invalid_format']],
      ['a wrong number', form(['file', file()], ['phone_number_id', 'a b']), ['phone_number_id invalid_format']],
      ['an empty file', form(['file', new File([], 'a.png')]), ['file too_short']],
      ['a long text', form(['file', file()], ['type', 'x'.repeat(5000)]), ['type too_long']],
    ]
    for (const [what, body, expected] of cases) {
      const answer = await tenant.api('POST', 'media/upload', undefined, await callOf(body))
      t.equal(answer.status, 400, what)
      const { violations } = answer.body.error.details
      t.strictSame(
        violations.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`),
        expected,
        what,
      )
    }
    const { raw } = await formOf(files.png)
    const type = 'multipart/form-data; boundary=x'
    const broken: [string, string | Buffer, string, number, string][] = [
      [
        'cut off',
        '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
        type,
        400,
        'malformed_multipart',
      ],
      ['another boundary', raw as Buffer, type, 400, 'malformed_multipart'],
      ['nothing', '', type, 400, 'malformed_multipart'],
      ['no boundary', '', 'multipart/form-data', 400, 'invalid_format'],
      ['JSON', '{}', 'application/json', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ]
    for (const [what, raw, content_type, status, code] of broken) {
      const answer = await tenant.api('POST', 'media/upload', undefined, {
        raw,
        headers: { 'content-type': content_type },
      })
      t.equal(answer.status, status, what)
      const { error } = answer.body
      t.equal(status === 400 ? error.details.violations[0].code : error.code, code, what)
    }
    await nothingLeft()
  })

  t.test('a file that no provider keeps is kept here, for the project as a whole', async (t) => {
    const bytes = Buffer.concat([Buffer.from('%PDF-1.4\n'), randomBytes(MIB / 4)])
    const answer = await upload(kept, bytes, { filename: 'a.pdf' })
    t.match([answer.status, answer.body.mime_type], [200, 'application/pdf'])
    const { media_id } = answer.body
    t.match(await rows(kept.project_id), [{ media_id, channel_id: null, provider_media_id: null, blob_key: media_id }])
    await eventually('the temporary file is gone', () => filesOf(world).length === 1)
    const gif = await upload(kept, files.gif)
    t.equal(gif.status, 200, "WhatsApp's limits do not hold here")
    t.equal((await kept.api('DELETE', `media/${gif.body.media_id}?phone_number_id=x`)).status, 204)

    const path = `media/${media_id}/download?phone_number_id=any`
    t.match((await kept.api('GET', `media/${media_id}?phone_number_id=any`)).body, answer.body)
    const read = (headers: Record<string, string> = {}, method = 'GET') =>
      kept.api(method, path, undefined, { headers })
    const size = bytes.length
    const etag = `"${sha256(bytes)}"`
    t.match(await read(), { status: 200, headers: { 'content-length': `${size}`, 'accept-ranges': 'bytes', etag } })
    const cases: [Record<string, string>, number, string | undefined, number][] = [
      [{ range: 'bytes=0-9' }, 206, `bytes 0-9/${size}`, 10],
      [{ range: `bytes=${size - 4}-` }, 206, `bytes ${size - 4}-${size - 1}/${size}`, 4],
      [{ range: 'bytes=9-', 'if-range': etag }, 206, `bytes 9-${size - 1}/${size}`, size - 9],
      [{ range: 'bytes=9-', 'if-range': '"old"' }, 200, undefined, size],
      [{ range: 'bytes=0-1,3-4' }, 200, undefined, size],
      [{ 'if-none-match': '"old"' }, 200, undefined, size],
    ]
    for (const [headers, status, range, length] of cases) {
      const part = await read(headers)
      t.equal(part.status, status, JSON.stringify(headers))
      t.equal(part.headers['content-range'], range)
      t.equal(part.headers['content-length'], `${length}`)
    }
    const beyond = await read({ range: `bytes=${size}-` })
    t.match(beyond, {
      status: 416,
      headers: { 'content-range': `bytes */${size}` },
      body: { error: { code: 'RANGE_NOT_SATISFIABLE' } },
    })
    t.match(await read({ 'if-none-match': etag }), { status: 304, text: '' })
    t.match(await read({}, 'HEAD'), { status: 200, headers: { 'content-length': `${size}` }, text: '' })
    t.equal((await kept.api('GET', `media/${media_id}${of(kept)}`)).status, 200, 'connections live on')
    t.equal((await tenant.api('GET', path)).status, 404, 'another project does not find it')
    t.equal((await tenant.api('DELETE', `media/${media_id}${of(tenant)}`)).status, 404)

    t.equal((await kept.api('DELETE', `media/${media_id}?phone_number_id=any`)).status, 204)
    t.strictSame(await rows(kept.project_id), [])
    await nothingLeft()
    t.equal((await kept.api('GET', path)).status, 404)
  })

  t.test('an expired file is not found, and is deleted', async (t) => {
    const ids = []
    for (const one of [kept, kept, tenant]) ids.push((await upload(one, files.png)).body.media_id)
    const [over, stays, elsewhere] = ids
    const before = (await rows(tenant.project_id)).length
    await database.execute(`update media set expires_at = now() - interval '1 second' where media_id in (?, ?)`, [
      over,
      elsewhere,
    ])
    t.equal((await kept.api('GET', `media/${over}${of(kept)}`)).status, 404)
    t.equal((await kept.api('GET', `media/${over}/download${of(kept)}`)).status, 404)
    t.equal((await tenant.api('GET', `media/${elsewhere}${of(tenant)}`)).status, 404)
    await eventually('those that are kept are left', () => filesOf(world).length === 2)
    const blobs = await openBlobs(`file://${world.config.data_dir}/blobs`)
    t.equal(await tidyMedia(database, blobs, `${world.config.data_dir}/uploads`), 2)
    t.strictSame(
      (await rows(kept.project_id)).map(({ media_id }) => media_id),
      [stays],
    )
    t.equal((await rows(tenant.project_id)).length, before - 1)
    t.equal(filesOf(world).length, 1)
    t.equal((await kept.api('DELETE', `media/${stays}${of(kept)}`)).status, 204)
    t.equal(await tidyMedia(database, blobs, `${world.config.data_dir}/uploads`), 0)
  })

  t.test('an upload under a key is done once', async (t) => {
    const headers = { 'idempotency-key': 'upload-1' }
    const first = await upload(tenant, files.png, { filename: 'a.png' }, headers)
    t.equal(first.status, 200)
    const before = (await rows(tenant.project_id)).length
    // The boundary differs, but the request is the same.
    const again = await upload(tenant, files.png, { filename: 'a.png' }, headers)
    t.equal(again.headers['idempotent-replayed'], 'true')
    t.strictSame(again.body, first.body)
    for (const [bytes, fields] of [
      [files.jpeg, { filename: 'a.png' }],
      [files.png, { filename: 'b.png' }],
      [files.png, { filename: 'a.png', type: 'image' }],
    ] as const) {
      const other = await upload(tenant, bytes, fields, headers)
      t.match([other.status, other.body.error.code], [422, 'IDEMPOTENCY_KEY_REUSED'])
    }
    t.equal((await rows(tenant.project_id)).length, before)
    const refused = await upload(tenant, files.gif, {}, { 'idempotency-key': 'upload-2' })
    const refused_again = await upload(tenant, files.gif, {}, { 'idempotency-key': 'upload-2' })
    t.strictSame([refused_again.status, refused_again.body], [refused.status, refused.body])
    await nothingLeft()
  })

  t.test('a failure of WhatsApp keeps nothing and frees the key', async (t) => {
    const { phone_number_id } = tenant.number
    const fault = (fields: object) =>
      world.control('POST', 'faults', { match: { operation: 'media', phone_number_id }, times: 1, ...fields })
    const before = (await rows(tenant.project_id)).length
    const headers = { 'idempotency-key': 'upload-3' }
    const cases: [object, number, string][] = [
      [{ garbage: true }, 502, 'WHATSAPP_UPSTREAM_ERROR'],
      [{ reset: 'before' }, 502, 'WHATSAPP_UPSTREAM_ERROR'],
      [{ error: { code: 130429, status: 429, retry_after: 7 } }, 502, 'WHATSAPP_UPSTREAM_ERROR'],
    ]
    for (const [fields, status, code] of cases) {
      await fault(fields)
      const answer = await upload(tenant, files.png, {}, headers)
      t.strictSame([answer.status, answer.body.error?.code], [status, code], JSON.stringify(fields))
      t.ok(Number(answer.headers['retry-after']) >= 1)
    }
    t.equal((await rows(tenant.project_id)).length, before)
    await nothingLeft()
    t.equal((await upload(tenant, files.png, {}, headers)).status, 200)
    const { media_id } = (await upload(tenant, files.png)).body
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/download'],
    ] as const) {
      await fault({ garbage: true })
      const answer = await tenant.api(method, `media/${media_id}${path}${of(tenant)}`)
      t.strictSame([answer.status, answer.body.error.code], [502, 'WHATSAPP_UPSTREAM_ERROR'], `${method} ${path}`)
    }
    t.equal((await tenant.api('GET', `media/${media_id}${of(tenant)}`)).status, 200)
  })

  t.test('an upload without the right is refused before its body is read', async (t) => {
    const { company_id, project_id, user_id } = tenant
    const reader = { project_id, user_id, name: 'Reader', scopes: ['media:read'] }
    const { token } = (await world.operator('POST', 'tokens', reader)).body
    const narrow = await makeTenant(world, { minute: 1, hour: 10, day: 10 })
    t.ok(company_id)
    await narrow.api('GET', 'me')
    const cases: [string, string, number][] = [
      ['no token', 'svc_pk_nonsense', 401],
      ['no scope', token, 403],
      ['no budget', narrow.token, 429],
    ]
    for (const [what, token, status] of cases) {
      const head = `POST /v1/media/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`
      const type = 'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 50000000\r\n\r\n'
      // The client sends none of the fifty million bytes.
      const said = await exchange(`${head}${type}`, /\r\n\r\n/)
      t.match(said, new RegExp(`^HTTP/1.1 ${status} `), what)
    }
    const answer = await upload(
      { ...tenant, api: (m, p, j, c) => tenant.api(m, p, j, { ...c, token: 'svc_pk_x' }) },
      padded(files.jpeg, 12 * MIB),
    )
    t.equal(answer.status, 401, 'and who sends it all the same gets the answer, too')
    await nothingLeft()
  })

  t.test('too large a file is refused when it is announced, and while it is written', async (t) => {
    const announced = await exchange(
      `POST /v1/media/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.token}\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${102 * MIB}\r\n\r\n`,
      /\r\n\r\n/,
    )
    t.match(announced, /^HTTP\/1.1 413 /)
    const stream = Readable.from([Buffer.alloc(600, 1), Buffer.alloc(600, 1)])
    await t.rejects(spool(stream, join(tempDir(t), 'a'), 1000), { message: /PAYLOAD_TOO_LARGE/ })
    await nothingLeft()
  })

  t.test('an upload that breaks off leaves nothing', async (t) => {
    const before = await rows(tenant.project_id)
    const call = await formOf(padded(files.jpeg, 4 * MIB))
    const raw = call.raw as Buffer
    const head = `POST /v1/media/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.token}\r\nContent-Type: ${call.headers!['content-type']}\r\nContent-Length: ${raw.length}\r\n\r\n`
    for (const sent of [10, 1000, raw.length / 2, raw.length - 10]) {
      const socket = connect(Number(new URL(world.base_url).port), '127.0.0.1')
      socket.on('error', () => {})
      socket.write(head)
      socket.write(raw.subarray(0, sent))
      if (sent > 1000) await eventually('it is being written', () => filesOf(world).length === 1)
      socket.destroy()
    }
    await nothingLeft()
    t.strictSame(await rows(tenant.project_id), before)
    t.equal((await upload(tenant, files.png)).status, 200, 'the next one is fine')
  })

  t.test('an upload whose token is revoked while the file comes is refused, and leaves nothing', async (t) => {
    const leaver = await makeKeptTenant(world)
    const raw = (await formOf(padded(files.jpeg, 4 * MIB))).raw as Buffer
    const boundary = raw.subarray(2, raw.indexOf('\r\n')).toString()
    const head = `POST /v1/media/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${leaver.token}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${raw.length}\r\n\r\n`
    const socket = connect(Number(new URL(world.base_url).port), '127.0.0.1')
    let said = ''
    socket.on('data', (chunk) => {
      said += chunk
    })
    socket.write(head)
    socket.write(raw.subarray(0, raw.length / 2))
    await eventually('it is being written', () => filesOf(world).length === 1)
    t.equal((await world.operator('DELETE', `tokens/${leaver.token_id}`)).status, 204)
    socket.write(raw.subarray(raw.length / 2))
    await eventually('the answer', () => said.includes('\r\n\r\n'))
    socket.destroy()
    t.match(said, /^HTTP\/1.1 401 /)
    await nothingLeft()
    t.strictSame(await rows(leaver.project_id), [])
  })

  t.test('a signed link opens its file without a token', async (t) => {
    const html = (await upload(kept, files.html, { filename: 'page.html' })).body
    const png = (await upload(kept, files.png, { filename: 'a b.png' })).body
    const there = (await upload(tenant, files.jpeg, { filename: '../x.jpg' })).body
    const vault = openVault(world.config.secret!)
    const linkOf = async (project_id: string, media_id: string) => {
      const files = await readFiles(
        { ...database, vault },
        { project_id, base_url: world.base_url },
        [media_id],
        new Date(),
      )
      const channel = { id: tenant.number.channel_id, channel_type: 'whatsapp', provider: 'simulator' } as never
      return files.of(media_id, channel).link
    }
    const cases: [string, string, Buffer, string, RegExp][] = [
      [kept.project_id, html.media_id, files.html, 'text/plain', /^inline; filename="page.html"/],
      [kept.project_id, png.media_id, files.png, 'image/png', /^inline; filename="a b.png"/],
      [tenant.project_id, there.media_id, files.jpeg, 'image/jpeg', /^inline; filename="x.jpg"/],
    ]
    for (const [project_id, media_id, bytes, type, disposition] of cases) {
      const link = await linkOf(project_id, media_id)
      const answer = await world.http('GET', link)
      t.equal(answer.status, 200, link)
      t.equal(answer.headers['content-length'], `${bytes.length}`)
      t.equal(answer.headers['content-type'], type)
      t.match(answer.headers['content-disposition'], disposition)
      t.match(answer.headers, { 'x-content-type-options': 'nosniff', 'content-security-policy': /sandbox/ })
      t.notOk(answer.headers['x-ratelimit-limit-day'], 'it costs nobody a request')
      t.equal((await world.http('GET', link, { headers: { range: 'bytes=0-1' } })).status, 206)
      t.equal((await world.http('HEAD', link)).status, 200)
      const [, , , , id, expires, signature] = link.split('/') as string[]
      t.equal(
        (await world.http('GET', `${world.base_url}/media/${id}/${expires}/${signature}`)).status,
        200,
        'without its name',
      )
      const forged = [
        `${id}/${Number(expires) + 1}/${signature}`,
        `${id!.replace(/.$/, (last) => (last === '0' ? '1' : '0'))}/${expires}/${signature}`,
        `${id}/${expires}/${signature!.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
        `${id}/${expires}/x`,
      ]
      for (const path of forged) t.equal((await world.http('GET', `${world.base_url}/media/${path}`)).status, 404, path)
    }
    const link = await linkOf(kept.project_id, png.media_id)
    await kept.api('DELETE', `media/${png.media_id}${of(kept)}`)
    t.equal((await world.http('GET', link)).status, 404, 'it ends with its file')
  })

  /** Writes on a socket of its own. Resolves to the bytes that came back as soon as `until` came. */
  function exchange(text: string, until: RegExp): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(world.base_url).port), '127.0.0.1')
      let said = ''
      socket.on('data', (chunk) => {
        said += chunk
        if (until.test(said)) socket.destroy()
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(said))
      socket.write(text)
    })
  }
})
