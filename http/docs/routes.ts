/**
 * Serves the documentation at `/docs`, and `/llms.txt` for language models. Pages are made from the guides of the
 * release and from the descriptions of its APIs when somebody first asks for them. No page loads anything from elsewhere.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentOf } from '../openapi/apis.ts'
import { Compressed } from '../server/files/compressed.ts'
import { builtPage } from '../server/pages/built_page.ts'
import { answerCompressed, oneOf, type PageFile, pageFileOf } from '../server/reply/page_files.ts'
import type { RawAnswer, RawRequest, RequestContext, Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { docsSource } from './page_source.ts'
import { Site, type Text } from './site.ts'

/** Only our code and styles; text never becomes HTML or a script in the browser. */
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

/** Revalidated each time: with their ETag that costs little, and an upgrade is seen at once. */
const FILE = { 'Cache-Control': 'no-cache', 'Cross-Origin-Resource-Policy': 'same-origin' }
const PAGE = {
  ...FILE,
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
}

/** Bytes of one unit of the limit `description`: a client that does not read leaves its answers in our memory. */
const UNIT_BYTES = 100_000

/** A path of two parts at most, such as `channels/whatsapp.md`. */
const PART = /^[\w.-]{1,100}$/

type Made = PageFile & { compressed: Compressed }
type Answer = (
  file: Made,
  headers: Record<string, string>,
  request: RawRequest,
  context: RequestContext,
) => Promise<RawAnswer>

/** `routes` are those that the reference describes. `base_url` is the address of the server in its samples. */
export function docsRoutes(routes: readonly Route[], base_url: string): Route[] {
  const site = new Site((api) => documentOf(api, routes, base_url))
  const contents = {
    ...builtPage(docsSource),
    'icon.svg': readFileSync(join(import.meta.dirname, 'page/icon.svg'), 'utf8'),
  }
  const files = new Map(Object.entries(contents).map(([name, content]) => [name, made(name, Buffer.from(content))]))
  const pages = new Map<string, Made>()
  const made_at = (path: string, make: () => Text | undefined): Made | undefined => {
    const known = pages.get(path)
    if (known) return known
    const text = make()
    if (!text) return undefined
    const file = { ...made(path, Buffer.from(text.content)), content_type: text.content_type }
    pages.set(path, file)
    return file
  }
  const answerFile: Answer = async (file, headers, request, { stranger }) => {
    const answer = await answerCompressed(file, headers, request)
    if (request.method !== 'HEAD') stranger?.take('description', answer.body.length / UNIT_BYTES)
    return answer
  }
  const answerPage = (request: RawRequest, context: RequestContext): RawAnswer | Promise<RawAnswer> => {
    const path = [request.params.part, request.params.name].filter((one) => one !== undefined).join('/')
    const file = made_at(path, () => site.at(path))
    if (file) return answerFile(file, PAGE, request, context)
    const { content, content_type } = site.missing(path)
    return { status: 404, body: content, content_type, headers: { ...PAGE, 'X-Content-Type-Options': 'nosniff' } }
  }
  const answerText = (path: string, make: () => Text) => (request: RawRequest, context: RequestContext) =>
    answerFile(made_at(path, make)!, FILE, request, context)
  const common = {
    method: 'GET',
    auth: 'none',
    pool: 'exempt',
    status: 200,
    counted_as: 'page',
  } as const
  const page = { ...common, summary: 'A page of the documentation', raw: answerPage } as const
  return [
    route({ ...page, path: '/docs', operation: 'get_docs' }),
    route({
      ...common,
      path: '/docs/',
      operation: 'get_docs_slash',
      summary: 'Leads to the documentation',
      status: 308,
      raw: () => ({ status: 308, body: '', headers: { Location: '/docs', 'X-Content-Type-Options': 'nosniff' } }),
    }),
    route({
      ...common,
      path: '/docs/files/:name',
      operation: 'get_docs_file',
      summary: 'What the pages of the documentation are made of',
      params: { name: oneOf(files.keys()) },
      raw: (request, context) => answerFile(files.get(request.params.name)!, FILE, request, context),
    }),
    route({ ...page, path: '/docs/:part', operation: 'get_docs_page', params: { part: PART } }),
    route({
      ...page,
      path: '/docs/:part/:name',
      operation: 'get_docs_page_of_part',
      params: { part: PART, name: PART },
    }),
    route({
      ...common,
      path: '/llms.txt',
      operation: 'get_llms_text',
      summary: 'The documentation for language models: what there is, and where',
      raw: answerText('llms.txt', () => site.llms(base_url)),
    }),
    route({
      ...common,
      path: '/llms-full.txt',
      operation: 'get_llms_full_text',
      summary: 'All guides in one file',
      raw: answerText('llms-full.txt', () => site.llmsFull()),
    }),
  ]
}

function made(name: string, content: Buffer): Made {
  return { ...pageFileOf(name, content), compressed: new Compressed(content) }
}
