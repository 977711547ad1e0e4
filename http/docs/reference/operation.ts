/** The page of one operation, or of one event: what to send, what comes back, and samples that can be copied. */
import type { Document } from '../../openapi/document.ts'
import { methodBadge } from '../frame.ts'
import { type Content, type Html, html, trusted } from '../html.ts'
import { codeBlock, type Heading } from '../markdown.ts'
import type { Media, OperationObject, Parameter, Response, Sample } from './parts.ts'
import { inlineCode, SchemaView } from './schema.ts'

export type Operation = { method: string; path: string; object: OperationObject }

/** Headers of every answer, which would hide the others. */
const COMMON_HEADERS = /^X-Request-Id$|^X-RateLimit-/

/** The name of an operation for people: `List webhook deliveries`. */
export function titleOfOperation(id: string): string {
  const words = id.replaceAll('_', ' ').replace(/\b(?:csv|mcp|id|url)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function operationPage(
  document: Document,
  { method, path, object }: Operation,
): { body: Html; headings: Heading[] } {
  const parts = new Parts(document)
  const parameters = (object.parameters ?? []).map((one) => parts.resolve(one))
  for (const [place, title] of PLACES) {
    const here = parameters.filter((one) => one.in === place)
    if (here.length > 0) parts.add(title, html`<ul class="properties">${here.map((one) => parts.parameter(one))}</ul>`)
  }
  parts.body('Body', object.requestBody)
  const responses = Object.entries(object.responses)
  const succeeded = responses.filter(([status]) => Number(status) < 400)
  const failed = responses.filter(([status]) => Number(status) >= 400)
  parts.add('Responses', html`${succeeded.map(([status, one]) => parts.response(status, parts.resolve(one), true))}`)
  if (failed.length > 0)
    parts.add('Errors', html`${failed.map(([status, one]) => parts.response(status, parts.resolve(one), false))}`)
  const body = html`<h1>${titleOfOperation(object.operationId)}</h1>
<p class="lead">${inlineCode(object.summary)}</p>
<p class="endpoint">${methodBadge(method)}<code>${path}</code></p>
<p class="operation-id">Operation <code>${object.operationId}</code></p>
<div class="split"><div>
<p>${inlineCode(object.description ?? '')}</p>
${permission(object)}
${parts.sections}
</div><div class="samples">
${samples(object['x-codeSamples'] ?? [])}
${example(parts, succeeded)}
</div></div>`
  return { body, headings: parts.headings }
}

export function eventPage(
  document: Document,
  type: string,
  object: OperationObject,
): { body: Html; headings: Heading[] } {
  const parts = new Parts(document)
  parts.body('Body', object.requestBody)
  const parameters = (object.parameters ?? []).map((one) => parts.resolve(one))
  parts.add('Headers', html`<ul class="properties">${parameters.map((one) => parts.parameter(one))}</ul>`)
  const sent = object.requestBody?.content?.['application/json']?.example
  const body = html`<h1>${type}</h1>
<p class="lead">${inlineCode(object.summary)}</p>
<div class="split"><div>
<p>${inlineCode(object.description ?? '')}</p>
${parts.sections}
</div><div class="samples">
${sent !== undefined && html`<h2 class="sample-title">Example</h2>${json(sent)}`}
</div></div>`
  return { body, headings: parts.headings }
}

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const

class Parts {
  readonly sections: Html[] = []
  readonly headings: Heading[] = []
  readonly #schemas: SchemaView

  constructor(document: Document) {
    this.#schemas = new SchemaView(document)
  }

  resolve<Part extends { $ref?: string }>(one: Part): Part {
    return this.#schemas.resolve(one).target
  }

  add(title: string, content: Html): void {
    const anchor = title.toLowerCase().replaceAll(' ', '-')
    this.headings.push({ depth: 2, title, anchor })
    this.sections.push(
      html`<h2 id="${anchor}">${title} <a class="anchor" href="#${anchor}" aria-label="Link to ${title}">#</a></h2>${content}`,
    )
  }

  /** A body in each of its media types. */
  body(title: string, request_body: OperationObject['requestBody']): void {
    const types = Object.entries(request_body?.content ?? {})
    if (types.length === 0) return
    const views = types.map(
      ([type, { schema }]) => html`<p class="type">${type}</p>${this.#schemas.view(schema ?? {})}`,
    )
    this.add(title, html`${views}`)
  }

  parameter({ name, description, required, schema, example }: Parameter): Html {
    const text = description ?? (example === undefined ? undefined : `Such as \`${example}\`.`)
    return this.#schemas.property(name, { ...schema, description: text }, required === true, 0)
  }

  response(status: string, { description, headers = {}, content = {} }: Response, is_success: boolean): Html {
    const own = Object.keys(headers).filter((name) => !COMMON_HEADERS.test(name))
    const [[type, media] = [undefined, undefined]]: [string?, Media?][] = Object.entries(content)
    const examples = Object.values(media?.examples ?? {})
    const inner = html`${own.length > 0 && html`<p>Headers: ${own.map((name) => html`<code>${name}</code> `)}</p>`}${
      type !== undefined &&
      is_success &&
      html`<p class="type">${type}</p>${media?.schema && this.#schemas.view(media.schema)}`
    }${!is_success && examples.map(({ value }) => this.#error(value))}`
    return html`<details class="response"${is_success && html` open`}><summary><span class="status ${
      is_success ? 'good' : 'bad'
    }">${status}</span> ${inlineCode(description)}</summary>${inner}</details>`
  }

  #error(value: unknown): Html {
    const { error } = value as { error?: { code?: string; message: string; details?: unknown } }
    if (error?.code === undefined) return json(value)
    return html`<p class="error"><code>${error.code}</code> ${error.message}</p>${
      error.details !== undefined && json(value)
    }`
  }
}

function permission(object: OperationObject): Content {
  const scopes = object['x-required-scopes'] ?? []
  const role = object['x-required-role']
  return [
    scopes.length > 0 && html`<p class="needs">Scope: ${scopes.map((one) => html`<code>${one}</code> `)}</p>`,
    role !== undefined && html`<p class="needs">Role of the operator key: <code>${role}</code></p>`,
    object.security?.length === 0 && html`<p class="needs">No token is needed.</p>`,
  ]
}

/** One below the other. The script of the page makes tabs of them. */
function samples(all: Sample[]): Content {
  if (all.length === 0) return undefined
  const blocks = all.map(
    ({ label, lang, source }) =>
      html`<section data-sample="${label}"><h3>${label}</h3>${trusted(codeBlock(source, lang))}</section>`,
  )
  return html`<h2 class="sample-title">Request</h2><div class="tabs" data-tabs>${blocks}</div>`
}

function example(parts: Parts, succeeded: [string, Response][]): Content {
  for (const [status, one] of succeeded) {
    const value = parts.resolve(one).content?.['application/json']?.example
    if (value !== undefined) return html`<h2 class="sample-title">Response ${status}</h2>${json(value)}`
  }
  return undefined
}

function json(value: unknown): Html {
  return trusted(codeBlock(JSON.stringify(value, null, 2), 'json'))
}
