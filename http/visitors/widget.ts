/**
 * The chat as pages embed it: `<script src="{base}/widget.js" data-channel="…" async>`, or as a page of its own at
 * `/widget/{channel_id}`. The files are built from `page/`. They keep their names: embedding pages may have the script of the
 * release before for a day.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plainIdPattern } from '../../actors/mod.ts'
import { findUserPhoto } from '../../storage/mod.ts'
import { Compressed } from '../server/files/compressed.ts'
import { ReadLimiter } from '../server/limits/read_limiter.ts'
import { builtPage } from '../server/pages/built_page.ts'
import { answerCompressed, mapAt, oneOf, pageFileOf } from '../server/reply/page_files.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { widgetSource } from './page_source.ts'

/**
 * Policy of our own page: only our code and styles, no framing by other pages. Pictures and sounds come from any
 * address that messages link to. (Embedding pages have policies of their own; the widget needs `script-src` and
 * `connect-src` for us.)
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src https: http: data:',
  'media-src https: http:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** After an upgrade pages get the new files within minutes; until then they need not revalidate. */
const CACHED = { 'Cache-Control': 'public, max-age=300, stale-while-revalidate=86400' }
const SCRIPT = {
  ...CACHED,
  // Modules are fetched with CORS; they contain nothing secret.
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}
/** A changed photo has another address. */
const PHOTO = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
}
/** Maximum concurrent reads of photos: anyone may ask for photos that do not exist. */
const MAX_PHOTO_READS = 2
const PAGE = { ...CACHED, 'Content-Security-Policy': PAGE_POLICY, 'Referrer-Policy': 'no-referrer' }

function served(name: string, content: string) {
  const file = pageFileOf(name, content)
  return { ...file, compressed: new Compressed(file.body) }
}

export function widgetRoutes(): Route[] {
  const page = served('page.html', readFileSync(join(import.meta.dirname, 'page/page.html'), 'utf8'))
  const built = builtPage(widgetSource)
  const files = new Map(Object.entries(built).map(([name, content]) => [name, served(name, content)]))
  const script = served('widget.js', mapAt('widget/files/', built['widget.js']!))
  const photo_reads = new ReadLimiter(MAX_PHOTO_READS)
  const common = { method: 'GET', auth: 'none', counted_as: 'page', pool: 'exempt', status: 200 } as const
  return [
    route({
      ...common,
      path: '/widget.js',
      operation: 'get_widget',
      summary: 'The script that puts the chat of a web channel into a page',
      raw: (request) => answerCompressed(script, SCRIPT, request),
    }),
    route({
      ...common,
      path: '/widget/files/:name',
      operation: 'get_widget_file',
      summary: 'What the script of the chat is made of',
      params: { name: oneOf(files.keys()) },
      raw: (request) => answerCompressed(files.get(request.params.name)!, SCRIPT, request),
    }),
    route({
      ...common,
      path: '/widget/photos/:sha256',
      operation: 'get_agent_photo',
      summary: 'The photo of a user, for visitors of the chat',
      params: { sha256: /^[0-9a-f]{64}$/ },
      raw: async ({ params }, { database, stranger }) => {
        const photo = await photo_reads.run(() => {
          stranger!.check('unknown_path')
          return findUserPhoto(database, params.sha256!)
        })
        if (photo) {
          const body = Buffer.from(photo.content, 'base64')
          return { status: 200, body, content_type: photo.mime_type, headers: PHOTO }
        }
        stranger!.count('unknown_path')
        return { status: 404, body: '', content_type: 'text/plain' }
      },
    }),
    route({
      ...common,
      path: '/widget/:channel_id',
      operation: 'get_widget_page',
      summary: 'The chat of a web channel as a page of its own',
      params: { channel_id: plainIdPattern },
      raw: (request) => answerCompressed(page, PAGE, request),
    }),
  ]
}
