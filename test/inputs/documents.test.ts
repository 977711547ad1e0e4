/** Documents on their way into the knowledge of a project: what a person uploads or links is what the text has, or it is said. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import t from 'tap'
import { pdfFile } from '../actors/knowledge/pdf_file.ts'
import { run } from '../cli/command.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { ended, importFile, importUrl, nodeOf } from '../e2e/import_client.ts'
import { startSite } from '../e2e/site.ts'
import { makeKeptTenant, upload } from '../http/media_client.ts'
import { files } from '../http/media_files.ts'
import { tempDir } from '../support/mod.ts'
import { fontPdf } from './pdf_fonts.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)

const imported = async (bytes: Buffer | string, filename: string, part_type?: string) => {
  const { body } = await importFile(tenant, bytes, { filename, ...(part_type && { part_type }) })
  return { job: await ended(tenant, body._id), node: await nodeOf(tenant, body._id) }
}
const found = async (query: string): Promise<Json[]> =>
  (await made(tenant.api('POST', 'knowledge/search', { query }))).data

t.test('the answers that a page hides are found', async (t) => {
  const pairs = Array.from(
    { length: 20 },
    (_, at) => [`Is pot ${at} refilled?`, `Pot ${at} is refilled by waiter${at}.`] as const,
  )
  const introduction = `<p>${'Our house has served tea at the harbour for years. '.repeat(12)}</p>`
  const answers = pairs.map(
    ([q, a]) => `<h2><button aria-expanded="false">${q}</button></h2><div hidden><p>${a}</p></div>`,
  )
  const nav = '<nav><a href="/">Start</a></nav>'
  const { job, node } = await imported(`<html><body>${nav}${introduction}${answers.join('')}</body></html>`, 'faq.html')
  t.match(job, { status: 'done', error: null, warnings: [{ code: 'navigation_left_out', count: 1 }] })
  for (const text of pairs.flat()) t.ok(node.content.includes(text), text)
  await eventually('it is indexed', async () => (await found('waiter17'))[0]?.node_id === node._id)
})

t.test('what cannot be read is said by the import', async (t) => {
  const silent = fontPdf({ encoding: 'Identity-H', ordering: 'Identity', codes: '00240025', line: 'Price list' })
  const { job, node } = await imported(silent, 'silent.pdf')
  t.match(job, { status: 'done', warnings: [{ code: 'text_unreadable', count: 1, message: /^1 page with text/ }] })
  t.equal(node.content, 'Price list')
  const whole = await imported('Tea', 'whole.txt')
  t.strictSame(whole.job.warnings, [])
  const japanese = await imported(
    fontPdf({ encoding: '90ms-RKSJ-H', ordering: 'Japan1', codes: '89638bc68e9e8ad4' }),
    'hours.pdf',
  )
  t.match(japanese, { job: { status: 'done', warnings: [] }, node: { content: '営業時間' } })
})

const tea = 'Зелёный чай подают каждый день до вечера.'

t.test('the server, the upload or the letters say how a text is written', async (t) => {
  const site = await startSite(t)
  const pages: [path: string, charset: string, html: string][] = [
    ['/tea', 'windows-1251', `<title>Чай</title><p>${tea}</p>`],
    ['/quoted', '"koi8-r"', tea],
    ['/wide', 'utf-16le', `<p>${tea}</p>`],
  ]
  for (const [path, charset, html] of pages) {
    const encoding = charset.replaceAll('"', '')
    const type = `${html.startsWith('<') ? 'text/html' : 'text/plain'}; charset=${charset}`
    site.set(path, (_, response) => response.writeHead(200, { 'content-type': type }).end(iconv.encode(html, encoding)))
    const { body } = await importUrl(tenant, site.url(path))
    t.match(await ended(tenant, body._id), { status: 'done', warnings: [] }, path)
    t.match(await nodeOf(tenant, body._id), { content: new RegExp(tea) }, path)
  }
  const short = iconv.encode('20 € tea', 'iso-8859-15')
  const named = await imported(short, 'named.txt', 'text/plain; charset=ISO-8859-15')
  t.equal(named.node.content, '20 € tea')
  t.equal((await imported(iconv.encode(tea, 'koi8-r'), 'koi.txt')).node.content, tea)
})

t.test('uploads of texts, and types by any of their names', async (t) => {
  const kept = await makeKeptTenant(world)
  const cases: [bytes: Buffer, fields: Json, mime_type: string][] = [
    [Buffer.from('FORMAS DE PAGO\n\nEfectivo.\n'), { filename: 'pagos.md', type: 'text/plain' }, 'text/plain'],
    [Buffer.from('BMX;20\nRoller;12\n'), { filename: 'bmx.csv' }, 'text/csv'],
    [Buffer.from('ID3 tags\n'), { filename: 'tags.md' }, 'text/plain'],
    [Buffer.from('\ufeffBMX;20\n', 'utf16le'), { filename: 'wide.csv' }, 'text/csv'],
    [Buffer.from('BMX;20\n\x1a'), { filename: 'dos.csv' }, 'text/csv'],
    [files.jpeg, { type: 'image/jpg' }, 'image/jpeg'],
    [files.jpeg, { type: 'IMAGE' }, 'image/jpeg'],
    [files.png, { type: 'image/x-png' }, 'image/png'],
    [files.mp3, { type: 'audio/mp3' }, 'audio/mpeg'],
    [files.m4a, { type: 'audio/x-m4a' }, 'audio/mp4'],
    [files.opus, { type: 'audio/opus' }, 'audio/ogg'],
    [files.opus, { type: 'application/ogg' }, 'audio/ogg'],
    [files.wav, { type: 'audio/x-wav' }, 'audio/wav'],
    [files.pdf, { type: 'application/x-pdf' }, 'application/pdf'],
    [files.zip, { type: 'application/x-zip-compressed' }, 'application/zip'],
    [Buffer.from('a;b\n'), { filename: 'a.csv', type: 'application/vnd.ms-excel' }, 'text/csv'],
    [Buffer.from('a;b\n'), { filename: 'a.csv', type: 'application/csv' }, 'text/csv'],
    [files.pdf, { type: 'application/octet-stream' }, 'application/pdf'],
  ]
  for (const [bytes, fields, mime_type] of cases) {
    const { status, body } = await upload(kept, bytes, fields)
    t.match(
      { status, mime_type: body.mime_type },
      { status: 200, mime_type },
      JSON.stringify([fields, body.error?.message]),
    )
  }
  t.match(await upload(kept, files.jpeg, { type: 'image/x-png' }), { status: 422 })
  t.match(await upload(kept, files.pdf, { type: 'image' }), { status: 422 })
})

t.test('names keep the joiners of words and emoji, and lose what turns letters round', async (t) => {
  const kept = await makeKeptTenant(world)
  const names = [
    'کتاب‌ها.txt',
    '👨‍👩‍👧 family.txt',
    'ක්‍රීඩා.txt',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.txt',
    'co\u00adop.txt',
  ]
  for (const filename of names) {
    t.equal((await upload(kept, Buffer.from('Tea'), { filename })).body.filename, filename)
    t.equal((await imported(`Tea in ${filename}`, filename)).node.name, filename.replace('.txt', ''))
  }
  t.equal((await upload(kept, Buffer.from('Tea'), { filename: 'a\u202etxt.exe' })).body.filename, 'atxt.exe')
  const site = await startSite(t)
  site.set('/a%E2%80%AEb', 'Tea')
  t.equal((await importUrl(tenant, site.url('/a%E2%80%AEb'))).body.name, 'a b')
})

t.test('the command line says what documents lack, and ends with 3', async (t) => {
  const directory = tempDir(t)
  const { token } = await makeTenant(world)
  const env = { PARLEY_BASE_URL: world.base_url, PARLEY_TOKEN: token }
  writeFileSync(join(directory, 'good.html'), '<nav><a href="/">Start</a></nav><p>Tea</p>')
  const good = await run(['knowledge', 'import', directory], env)
  t.match(good, { code: 0, out: '1 imported.\n', err: /good\.html: 1 part with navigation was left out\./ })
  writeFileSync(
    join(directory, 'silent.pdf'),
    fontPdf({ encoding: 'Identity-H', ordering: 'Identity', codes: '0024', line: 'Tea' }),
  )
  const rounds: [out: string, round: string][] = [
    ['1 imported, 1 unchanged, 1 in part.\n', 'first'],
    ['0 imported, 2 unchanged, 1 in part.\n', 'again'],
  ]
  for (const [out, round] of rounds) {
    const partly = await run(['knowledge', 'import', directory], env)
    t.match(partly, { code: 3, out, err: /silent\.pdf: 1 page with text that could not be read/ }, round)
    t.match(partly.err, /1 document was imported in part\./)
  }
  writeFileSync(join(directory, 'scan.pdf'), pdfFile([[]], { is_scan: true }))
  t.equal((await run(['knowledge', 'import', directory, '--json'], env)).code, 1)
})
