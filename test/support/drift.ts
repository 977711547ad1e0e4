/**
 * Compares each answer that a test gets with the description of the API, as a validating proxy between the two would.
 * Drift is an error of the call, so it fails the test that made the call:
 *
 *  - an answer whose status, error code, headers or body the operation does not describe; a property that no schema names
 *  - an accepted request that the description forbids
 *
 * Each answer is noted in the directory of the run. After a run of all tests, `described_answers.ts` lists what the
 * descriptions promise and no test has seen.
 */

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiName } from '../../http/openapi/apis.ts'
import { described } from './described.ts'
import { faultsOf } from './validators.ts'

export type Seen = {
  method: string
  url: string
  /** The body that was sent as JSON. */
  json: unknown
  status: number
  headers: Record<string, string | string[] | undefined>
  body: unknown
}

// biome-ignore lint/suspicious/noExplicitAny: a part of a document is JSON
type Part = any
type Operation = { api: ApiName; pointer: string; part: Part }

/** @throws {Error} for an answer or a request that is not as described */
export function refuseDrift(seen: Seen): void {
  const operation = operationOf(seen.method, seen.url)
  if (operation === undefined) return
  const problems = [...answerProblems(operation, seen), ...requestProblems(operation, seen)]
  note(operation, seen)
  if (problems.length === 0) return
  const { method, url, status, body } = seen
  const text = JSON.stringify(body)?.slice(0, 2000)
  throw new Error(`not as described: ${method} ${url} ${status}\n${problems.join('\n')}\n${text}`)
}

function answerProblems({ api, pointer, part }: Operation, { status, headers, body }: Seen): string[] {
  const at = `${pointer}/responses/${status}`
  const response = resolved(api, part.responses[status])
  if (response === undefined) return [`the status ${status} is not described: ${JSON.stringify(body)}`]
  if (headers['x-request-id'] === undefined) return ['it has no X-Request-Id']
  const known = Object.keys(response.headers).map((name) => name.toLowerCase())
  const unknown = Object.keys(headers).filter((name) => OURS.test(name) && !known.includes(name))
  if (unknown.length > 0) return [`the headers ${unknown.join(', ')} are not described`]
  const described_body = response.content?.['application/json']
  if (!String(headers['content-type']).startsWith('application/json') || body === undefined) return []
  if (described_body === undefined) return ['a body is not described']
  const where = part.responses[status].$ref?.slice(1) ?? at
  const problems = faultsOf(`${api} closed`, `${where}/content/application~1json/schema`, body)
  return status >= 400 ? [...problems, ...detailsProblems(described_body, body)] : problems
}

/** Headers that a client may use. The others belong to HTTP itself. */
const OURS = /^(?:x-ratelimit|retry-after|etag|idempotent|x-request|www-authenticate|content-range|accept-ranges)/

/** Each code's example has every property that its details can have. */
function detailsProblems({ examples }: Part, body: Part): string[] {
  const { code, details } = body?.error ?? {}
  if (details === undefined) return []
  const shown = Object.values(examples as Record<string, Part>).filter(({ value }) => value.error?.code === code)
  const names = new Set(shown.flatMap(({ value }) => Object.keys(value.error.details ?? {})))
  const unknown = Object.keys(details).filter((name) => !names.has(name))
  return unknown.length > 0 ? [`the example of ${code} lacks details.${unknown.join(', details.')}`] : []
}

function requestProblems({ api, pointer, part }: Operation, { url, status, json }: Seen): string[] {
  if (status >= 300) return []
  const parameters = (part.parameters as Part[]).map((one) => resolved(api, one))
  const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
  const unknown = [...new URL(url).searchParams.keys()].filter((name) => !names.includes(name))
  const found = unknown.map((name) => `the query parameter ${name} is not described`)
  const schema = part.requestBody?.content['application/json']
  if (json === undefined || schema === undefined) return found
  const problems = faultsOf(api, `${pointer}/requestBody/content/application~1json/schema`, json)
  return [...found, ...problems.map((problem) => `the accepted request: ${problem}`)]
}

/** The operation with this method and path, if there is one. */
function operationOf(method: string, url: string): Operation | undefined {
  const { pathname } = new URL(url)
  const api = pathname.startsWith('/v1/') ? 'v1' : pathname.startsWith('/admin/v1/') ? 'admin' : undefined
  if (api === undefined) return undefined
  const segments = pathname.split('/')
  const fits = templates(api).filter(
    (one) =>
      one.length === segments.length &&
      one.every((part, at) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at])),
  )
  const parameters = (one: string[]) => one.filter((part) => part.startsWith('{')).length
  const [best] = fits.sort((a, b) => parameters(a) - parameters(b))
  if (best === undefined) return undefined
  const path = best.join('/')
  const part = described(api).paths[path][method.toLowerCase()]
  return part && { api, pointer: `/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`, part }
}

const known_templates = new Map<ApiName, string[][]>()

function templates(api: ApiName): string[][] {
  const known = known_templates.get(api) ?? Object.keys(described(api).paths).map((path) => path.split('/'))
  known_templates.set(api, known)
  return known
}

function resolved(api: ApiName, part: Part): Part {
  if (part?.$ref === undefined) return part
  return part.$ref
    .slice(2)
    .split('/')
    .reduce((inner: Part, key: string) => inner[key], described(api))
}

const noted = new Set<string>()

/** Notes the operation, the status, and the code of an error. */
function note({ part }: Operation, { status, body }: Seen): void {
  const directory = process.env.PARLEY_TEST_ANSWERS
  if (directory === undefined) return
  const code = status === 401 ? 'UNAUTHENTICATED' : ((body as Part)?.error?.code ?? '')
  const line = `${part.operationId} ${status} ${status >= 400 ? code : ''}`.trim()
  if (noted.has(line)) return
  noted.add(line)
  appendFileSync(join(directory, String(process.pid)), `${line}\n`)
}
