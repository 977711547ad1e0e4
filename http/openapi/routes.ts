/**
 * Serves the descriptions. A description is made with the first request for it, so a start of the node costs nothing,
 * and is compressed once, beside the event loop.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import * as v from 'valibot'
import { type Encoding, encodingOf } from '../server/files/compressed.ts'
import { isKnown } from '../server/files/range.ts'
import type { RawAnswer, RawRequest, Route } from '../server/route/route.ts'
import { section } from '../server/route/section.ts'
import { route } from '../server/route/typed_route.ts'
import { type ApiName, documentOf } from './apis.ts'

/** Higher qualities take seconds of processor time for a few hundred bytes. */
const BROTLI_QUALITY = 7

/** Bytes of one unit of the limit `description`. */
const UNIT_BYTES = 100_000

type Variant = { body: Uint8Array; etag: string }
type File = Record<Encoding | 'identity', Variant>

const DESCRIPTION = 'How to read this API as a machine.'

/** The routes of the descriptions of these routes. The descriptions name themselves, too. */
export function openapiRoutes(routes: readonly Route[], base_url: string): Route[] {
  const own = section('Description', DESCRIPTION, [
    routeOf('v1', '/v1/openapi.json', 'get_openapi', () => all, base_url),
    routeOf('admin', '/admin/v1/openapi.json', 'get_operator_openapi', () => all, base_url),
  ])
  const all = [...routes, ...own]
  return own
}

function routeOf(name: ApiName, path: string, operation: string, all: () => Route[], base_url: string): Route {
  let file: Promise<File> | undefined
  return route({
    method: 'GET',
    path,
    operation,
    summary: 'Get this description of the API, in OpenAPI 3.1.1',
    description: 'Compressed with Brotli or gzip where `Accept-Encoding` allows it.',
    auth: 'none',
    pool: 'exempt',
    counted_as: 'page',
    status: 200,
    response_headers: ['ETag'],
    other_statuses: { 304: 'The client has this description already.' },
    response: v.looseObject({ openapi: v.string() }),
    async raw(request, { stranger }) {
      file ??= compressed(() => JSON.stringify(documentOf(name, all(), base_url)))
      const answered = answer(await file, request)
      if (answered.status === 200 && request.method !== 'HEAD')
        stranger?.take('description', Math.ceil(answered.body.length / UNIT_BYTES))
      return answered
    },
  })
}

async function compressed(write: () => string): Promise<File> {
  const body = Buffer.from(write())
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    promisify(gzip)(body),
  ])
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return {
    br: { body: br, etag: `"${tag}-br"` },
    gzip: { body: zipped, etag: `"${tag}-gzip"` },
    identity: { body, etag: `"${tag}"` },
  }
}

function answer(file: File, { headers }: RawRequest): RawAnswer {
  const encoding = encodingOf(headers['accept-encoding']) ?? 'identity'
  const { body, etag } = file[encoding]
  const all = {
    ETag: etag,
    Vary: 'Accept-Encoding',
    // The description is public: tools in a browser may read it from any page.
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'public, no-cache',
    'X-Content-Type-Options': 'nosniff',
  }
  if (isKnown(headers['if-none-match'] ?? '', etag)) return { status: 304, body: '', headers: all }
  return { status: 200, body, headers: encoding === 'identity' ? all : { ...all, 'Content-Encoding': encoding } }
}
