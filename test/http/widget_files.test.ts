/** The files of the chat: how they are served, what they weigh, and what no page of them does. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { request } from 'undici'
import { builtPage } from '../../http/server/pages/built_page.ts'
import { widgetSource } from '../../http/visitors/page_source.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'

const world = await joinWorld(t)
const { project_id } = await makeTenant(world)
const credentials = { visitor_secret: 'the secret of the visitors' }
const channel = { project_id, channel_type: 'web', provider: 'cloud', name: 'Shop', credentials }
const channel_id = (await made(world.operator('POST', 'channels', channel)))._id
const pages = join(import.meta.dirname, '../../http/visitors/page')
/** The files that make up the chat, without the script of the page. */
const files = Object.keys(builtPage(widgetSource)).filter((name) => !name.endsWith('.map'))

t.test('the files are served to pages of other sites, with an ETag of their content', async (t) => {
  for (const path of ['widget.js', ...files.map((name) => `widget/files/${name}`)]) {
    const { status, headers, text } = await world.http('GET', `${world.base_url}/${path}`)
    t.equal(status, 200, path)
    t.match(headers['content-type'], path.endsWith('css') ? /^text\/css/ : /^text\/javascript/)
    t.match(headers, {
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'cache-control': /^public, max-age=\d+/,
      etag: /^"[\w-]{22}"$/,
    })
    t.ok(text.length > 0)
    const map = text.split('\n//# sourceMappingURL=')[1]?.trim()
    t.equal(map === undefined, path.endsWith('css'))
    const place = new URL(map ?? '', `${world.base_url}/${path}`)
    t.equal((await world.http('GET', String(place))).status, 200, `${place} is there`)
    const again = await world.http('GET', `${world.base_url}/${path}`, { headers: { 'if-none-match': headers.etag! } })
    t.equal(again.status, 304)
    t.equal(again.text, '')
  }
  for (const path of ['widget/files/page.ts', 'widget/files/..%2fserver.ts', 'widget/files/', 'widget/files/%2e%2e'])
    t.equal((await world.http('GET', `${world.base_url}/${path}`)).status, 404, path)
})

t.test('the chat as a page runs only our code', async (t) => {
  const { status, headers, text } = await world.http('GET', `${world.base_url}/widget/${channel_id}`)
  t.equal(status, 200)
  t.match(headers['content-type'], /^text\/html/)
  const policy = headers['content-security-policy'] ?? ''
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
    t.ok(policy.includes(rule), rule)
  t.notMatch(policy, /unsafe/)
  t.notMatch(text, /<script(?![^>]*\bsrc=)|\bon\w+=|style=/, 'nothing inline')
  for (const [, path] of text.matchAll(/(?:src|href)="([^"]+)"/g)) {
    if (path!.startsWith('data:')) continue
    const file = await world.http('GET', new URL(path!, `${world.base_url}/widget/${channel_id}`).href)
    t.equal(file.status, 200, path!)
  }
  t.equal((await world.http('GET', `${world.base_url}/widget/nobody`)).status, 404)
})

t.test('a page loads one small file, all of the chat is small, and both are sent compressed', async (t) => {
  const size = async (path: string, encoding: string) => {
    const { headers, body } = await request(`${world.base_url}/${path}`, { headers: { 'accept-encoding': encoding } })
    return { used: headers['content-encoding'], bytes: (await body.arrayBuffer()).byteLength }
  }
  const guide = readFileSync(join(import.meta.dirname, '../../docs/channels/web.md'), 'utf8')
  const [, documented] = /The script has ([\d.]+) KB gzipped/.exec(guide)!
  const { used, bytes } = await size('widget.js', 'gzip')
  t.equal(used, 'gzip')
  t.equal((bytes / 1000).toFixed(1), documented, 'as documented')
  const all = await Promise.all(files.map((name) => size(`widget/files/${name}`, 'gzip')))
  const sum = all.reduce((sum, one) => sum + one.bytes, 0)
  t.ok(sum <= 30_000, `all files: ${sum} bytes`)
  t.equal((await size('widget/files/chat.js', 'gzip, br')).used, 'br')
  t.equal((await size('widget/files/chat.js', 'identity')).used, undefined)
})

t.test('the script knows the languages that have a table', async (t) => {
  const [, list = ''] = /const LANGUAGES = \[(.*)\]/.exec(readFileSync(join(pages, 'widget.ts'), 'utf8'))!
  const tables = globSync('words_*.ts', { cwd: pages })
  t.same(list.match(/\w+/g)!.sort(), tables.map((name) => name.slice(6, -3)).sort())
  const shapeOf = (value: unknown): unknown =>
    typeof value === 'object' && value ? Object.entries(value).map(([key, one]) => [key, shapeOf(one)]) : typeof value
  const all = await Promise.all(tables.map(async (name) => (await import(join(pages, name))).words))
  for (const words of all) t.same(shapeOf(words), shapeOf(all[0]), words.language)
})

t.test('no message becomes HTML or code', async (t) => {
  for (const name of globSync('**/*.ts', { cwd: pages })) {
    const source = readFileSync(join(pages, name), 'utf8')
    t.notMatch(
      source,
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|srcdoc/,
      name,
    )
  }
  const { safeUrl } = await import(join(pages, 'view/dom.ts'))
  const bad = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,<script>',
    'vbscript:x',
    'file:///etc/passwd',
    '',
    'x',
    null,
  ]
  for (const url of bad) t.equal(safeUrl(url), undefined, String(url))
  for (const url of ['https://a.test/b?c#d', 'http://a.test/']) t.equal(safeUrl(url), url)
})
