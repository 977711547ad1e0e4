/**
 * The agent console as a page: `/console`, built from the modules in `page/` and the libraries that they import;
 * `release.ts` tells what is served.
 *
 * Files have the name of the release in their address and never change. During an upgrade a browser may have the page
 * of one release and reach a node of the other: that node answers 404, and `boot.js`, which belongs to no release, loads
 * the page again. Each try keeps the files that it got.
 */
import { answerCompressed, oneOf } from '../server/reply/page_files.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { readRelease } from './release.ts'

/**
 * Only our code and styles, no framing by other pages. `'self'` includes the web sockets of this origin. Pictures and
 * recordings of messages may lie elsewhere, and those that an agent is about to send exist in the page only (`blob:`).
 * Text never becomes HTML or a script: browsers with trusted types enforce that.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' https: blob:",
  "media-src 'self' https: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const OWN = { 'Cross-Origin-Resource-Policy': 'same-origin' }
const FILE = { ...OWN, 'Cache-Control': 'public, max-age=31536000, immutable' }
/** These have the same address in every release. */
const REVALIDATED = { ...OWN, 'Cache-Control': 'no-cache' }
const PAGE = {
  ...REVALIDATED,
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
}

export function consolePageRoutes(): Route[] {
  const { name, files, page, boot } = readRelease()
  const common = { method: 'GET', auth: 'none', pool: 'exempt', status: 200 } as const
  return [
    route({
      ...common,
      path: '/console',
      operation: 'get_console',
      summary: 'The agent console',
      raw: (request) => answerCompressed(page, PAGE, request),
    }),
    route({
      ...common,
      path: '/console/',
      operation: 'get_console_slash',
      summary: 'Leads to the agent console',
      status: 308,
      raw: () => ({ status: 308, body: '', headers: { Location: '/console', 'X-Content-Type-Options': 'nosniff' } }),
    }),
    route({
      ...common,
      path: '/console/boot.js',
      operation: 'get_console_boot',
      summary: 'Starts the agent console, in any release',
      raw: (request) => answerCompressed(boot, REVALIDATED, request),
    }),
    route({
      ...common,
      path: '/console/files/:release/:name',
      operation: 'get_console_file',
      summary: 'What the agent console is made of',
      params: { release: oneOf([name]), name: oneOf(files.keys()) },
      raw: (request) => answerCompressed(files.get(request.params.name)!, FILE, request),
    }),
  ]
}
