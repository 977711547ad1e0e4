/** Serves the files of the product's pages. */
import { createHash } from 'node:crypto'
import type { Compressed } from '../files/compressed.ts'
import { isKnown } from '../files/range.ts'
import type { RawAnswer, RawRequest } from '../route/route.ts'

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  map: 'application/json; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
}

/** A file in memory. `etag` changes exactly with its content. */
export type PageFile = { body: Buffer; etag: string; content_type: string }

/** A file of this content. The end of its name tells the type. */
export function pageFileOf(name: string, content: string | Buffer): PageFile {
  const body = Buffer.from(content)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return { body, etag, content_type: TYPES[name.split('.').at(-1)!] ?? 'application/octet-stream' }
}

/** The script with its source map in this folder, for a script that is served beside it. */
export function mapAt(folder: string, script: string): string {
  return script.replace('//# sourceMappingURL=', `$&${folder}`)
}

/** Answers with the file and these headers, or with 304 when the client has it already. */
function answerPageFile(
  { body, etag, content_type }: PageFile,
  headers: Record<string, string>,
  request: RawRequest,
): RawAnswer {
  const all = { ...headers, 'X-Content-Type-Options': 'nosniff', ETag: etag }
  return isKnown(request.headers['if-none-match'] ?? '', etag)
    ? { status: 304, body: '', content_type, headers: all }
    : { status: 200, body, content_type, headers: all }
}

/** The same for a file that is sent compressed to those that take it so. Each form has an ETag of its own. */
export async function answerCompressed(
  file: PageFile & { compressed: Compressed },
  headers: Record<string, string>,
  request: RawRequest,
): Promise<RawAnswer> {
  const { body, encoding } = await file.compressed.of(request.headers['accept-encoding'])
  const vary = { ...headers, Vary: 'Accept-Encoding' }
  if (encoding === undefined) return answerPageFile(file, vary, request)
  const etag = file.etag.replace(/"$/, `-${encoding}"`)
  return answerPageFile({ ...file, body, etag }, { ...vary, 'Content-Encoding': encoding }, request)
}

/** Pattern of the names of these files, as a parameter of a path. */
export function oneOf(names: Iterable<string>): RegExp {
  return new RegExp(`^(?:${[...names].map((name) => name.replaceAll('.', '\\.')).join('|')})$`)
}
