/**
 * The chat as pages embed it: `<script src="{base}/widget.js" data-channel="…" async>`, or as a page of its own at
 * `/widget/{channel_id}`. The files lie in `page/` and are served as they are; there is no build.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RawAnswer, RawRequest, Route } from '../route.ts'
import { plainIdPattern } from '../routes/fields.ts'

const DIRECTORY = join(import.meta.dirname, 'page')
const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
}

/**
 * Of our own page: no code and no styles but ours, no frame of others around it. Pictures and sounds come from wherever
 * messages link to. (Pages of others have rules of their own; the widget needs `script-src` and `connect-src` for us.)
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

const COMMON = { 'X-Content-Type-Options': 'nosniff' }
const SCRIPT = {
  ...COMMON,
  // Modules are fetched with CORS; there is nothing secret in them.
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}
const PAGE = { ...COMMON, 'Content-Security-Policy': PAGE_POLICY, 'Referrer-Policy': 'no-referrer' }
/** After an upgrade pages have the new files within minutes; until then they need not ask. */
const CACHED = 'public, max-age=300, stale-while-revalidate=86400'

type File = { body: Buffer; etag: string; content_type: string }

export function widgetRoutes(): Route[] {
  const files = new Map(readdirSync(DIRECTORY).map((name) => [name, readFile(name)]))
  const known = new RegExp(`^(?:${[...files.keys()].join('|').replaceAll('.', '\\.')})$`)
  const common = { method: 'GET', auth: 'none', pool: 'exempt', status: 200 } as const
  return [
    {
      ...common,
      path: '/widget.js',
      operation: 'get_widget',
      summary: 'The script that puts the chat of a web channel into a page',
      raw: (request) => answer(files.get('widget.js')!, SCRIPT, request),
    },
    {
      ...common,
      path: '/widget/files/:name',
      operation: 'get_widget_file',
      summary: 'What the script of the chat is made of',
      params: { name: known },
      raw: (request) => answer(files.get(request.params.name!)!, SCRIPT, request),
    },
    {
      ...common,
      path: '/widget/:channel_id',
      operation: 'get_widget_page',
      summary: 'The chat of a web channel as a page of its own',
      params: { channel_id: plainIdPattern },
      raw: (request) => answer(files.get('page.html')!, PAGE, request),
    },
  ]
}

function readFile(name: string): File {
  const body = readFileSync(join(DIRECTORY, name))
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { body, etag, content_type: TYPES[name.split('.').at(-1)!] ?? 'application/octet-stream' }
}

function answer({ body, etag, content_type }: File, more: Record<string, string>, { headers }: RawRequest): RawAnswer {
  const all = { ...more, 'Cache-Control': CACHED, ETag: etag }
  const has_it = headers['if-none-match']?.split(',').some((known) => known.trim().replace(/^W\//, '') === etag)
  return has_it
    ? { status: 304, body: '', content_type, headers: all }
    : { status: 200, body, content_type, headers: all }
}
