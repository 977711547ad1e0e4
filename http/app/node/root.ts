import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'

/** `has_docs`: false where the documentation is left out. */
type Offered = { version: string; has_docs: boolean }

const HEADERS = { Vary: 'Accept', 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' }

/** The address of the node without a path: links for programs, and a way to the pages for browsers. */
export function rootRoute({ version, has_docs }: Offered): Route {
  const docs = has_docs ? '/docs' : null
  const console = '/console'
  const [openapi, operator_openapi] = ['/v1/openapi.json', '/admin/v1/openapi.json']
  const links = { docs, console, openapi, operator_openapi, health: '/health', ready: '/ready' }
  const body = `${JSON.stringify({ name: 'Parley', version, ...links }, undefined, 2)}\n`
  return route({
    method: 'GET',
    path: '/',
    operation: 'get_root',
    summary: 'Links to the documentation, the console, the descriptions of the APIs and the probes',
    auth: 'none',
    pool: 'exempt',
    counted_as: 'page',
    status: 200,
    raw({ headers: { accept = '' } }) {
      if (prefersHtml(accept)) return { status: 302, body: '', headers: { ...HEADERS, Location: docs ?? console } }
      return { status: 200, body, content_type: 'application/json; charset=utf-8', headers: HEADERS }
    },
  })
}

/** True for browsers, which name HTML. A client that names JSON as well is a program. */
function prefersHtml(accept: string): boolean {
  const types = accept.split(',').map((range) => range.split(';')[0]!.trim().toLowerCase())
  return types.includes('text/html') && !types.includes('application/json')
}
