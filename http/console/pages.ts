/**
 * The agent console as a page: `/console`, made of the modules in `page/`, which are served unchanged, of preact with
 * htm, and of socket.io's own client.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { answerPageFile, oneOf, type PageFile, readPageFile } from '../server/page_files.ts'
import type { Route } from '../server/route.ts'

const DIRECTORY = join(import.meta.dirname, 'page')

/** Keyed by the name under which the modules import them. */
const LIBRARIES = {
  'preact.js': new URL('standalone.module.js', import.meta.resolve('htm/preact/standalone')),
  'socket_io.js': new URL('client-dist/socket.io.esm.min.js', import.meta.resolve('socket.io')),
}

/**
 * Only our code and styles, no framing by other pages, no requests elsewhere. `'self'` includes the web sockets of this
 * origin. Text never becomes HTML or a script: browsers with trusted types enforce that.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Revalidated each time: modules of two releases must not meet in one page. With their ETag that costs little. */
const FILE = { 'Cache-Control': 'no-cache', 'Cross-Origin-Resource-Policy': 'same-origin' }
const PAGE = {
  ...FILE,
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
}

export function consolePageRoutes(): Route[] {
  const files = new Map<string, PageFile>()
  for (const name of readdirSync(DIRECTORY)) files.set(name, readPageFile(join(DIRECTORY, name)))
  for (const [name, url] of Object.entries(LIBRARIES)) files.set(name, readPageFile(url))
  const common = { method: 'GET', auth: 'none', pool: 'exempt' } as const
  return [
    {
      ...common,
      path: '/console',
      operation: 'get_console',
      summary: 'The agent console',
      status: 200,
      raw: (request) => answerPageFile(files.get('page.html')!, PAGE, request),
    },
    {
      ...common,
      path: '/console/',
      operation: 'get_console_slash',
      summary: 'Leads to the agent console',
      status: 308,
      raw: () => ({ status: 308, body: '', headers: { Location: '/console', 'X-Content-Type-Options': 'nosniff' } }),
    },
    {
      ...common,
      path: '/console/files/:name',
      operation: 'get_console_file',
      summary: 'What the agent console is made of',
      params: { name: oneOf(files.keys()) },
      status: 200,
      raw: (request) => answerPageFile(files.get(request.params.name!)!, FILE, request),
    },
  ]
}
