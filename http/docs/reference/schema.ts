/** A JSON Schema as a list of properties: name, type, limits and meaning, with the properties of objects folded below. */

import { choicesOf } from '../../openapi/choices.ts'
import type { Document } from '../../openapi/document.ts'
import { type Content, type Html, html } from '../html.ts'
import type { Schema } from './parts.ts'

/** Properties of properties are shown down to this depth, which also ends circles. */
const MAX_DEPTH = 6
/** Longer lists of values are folded. */
const MAX_VALUES = 12
const OBJECT_ID = '^[0-9A-Fa-f]{24}$'

export class SchemaView {
  readonly #document: Document

  constructor(document: Document) {
    this.#document = document
  }

  /** The properties of a body, or its type when it has none. */
  view(schema: Schema, depth = 0): Html {
    const { target } = this.resolve(schema)
    const inner = this.#inner(target, depth)
    return inner ?? html`<p class="type">${this.typeOf(schema)}</p>`
  }

  /** What a reference refers to, with its name. */
  resolve<Part extends { $ref?: string }>(schema: Part): { target: Part; name: string | undefined } {
    if (typeof schema.$ref !== 'string') return { target: schema, name: undefined }
    const path = schema.$ref.split('/').slice(1)
    const target = path.reduce((at, name) => at[name], this.#document) as unknown as Part
    return { target, name: path.at(-1) }
  }

  /** The type in a few words: `string`, `array of Contact`, `integer or null`. */
  typeOf(schema: Schema): string {
    const { target, name } = this.resolve(schema)
    if (name !== undefined) return name
    if ('const' in target) return JSON.stringify(target.const)
    const choices = choicesOf(target)
    if (choices) return [...new Set(choices.map((one) => this.typeOf(one)))].join(' or ')
    if (target.contentMediaType) return 'file'
    const types: string[] = [target.type ?? 'any value'].flat()
    return types
      .map((type) => (type === 'array' && target.items ? `array of ${this.typeOf(target.items)}` : type))
      .join(' or ')
  }

  /** The folded content of an object, an array of objects, or a choice between them. */
  #inner(schema: Schema, depth: number): Html | undefined {
    if (depth > MAX_DEPTH) return undefined
    const choices = choicesOf(schema)
    if (choices) return this.#choices(schema, choices, depth)
    if (schema.items) return this.#inner(this.resolve(schema.items).target, depth)
    if (schema.properties) {
      const rows = Object.entries(schema.properties)
      if (rows.length === 0) return undefined
      return html`<ul class="properties">${rows.map(([name, one]) =>
        this.property(name, one, schema.required?.includes(name) === true, depth),
      )}</ul>`
    }
    const rest = schema.additionalProperties
    const is_map = rest && typeof rest === 'object' && Object.keys(rest).length > 0
    return is_map ? html`<ul class="properties">${this.property('any name', rest, false, depth)}</ul>` : undefined
  }

  #choices(schema: Schema, choices: Schema[], depth: number): Html | undefined {
    const field = schema.discriminator?.propertyName
    const views = choices.flatMap((choice) => {
      const { target, name } = this.resolve(choice)
      const inner = this.#inner(target, depth + 1)
      const value = field === undefined ? undefined : target.properties?.[field]?.const
      const title = value === undefined ? (name ?? target.title ?? this.typeOf(target)) : `${field}: ${value}`
      return inner ? [html`<details class="choice"><summary><code>${title}</code></summary>${inner}</details>`] : []
    })
    if (views.length === 0) return undefined
    return html`<div class="choices"><p>One of</p>${views}</div>`
  }

  property(name: string, schema: Schema, is_required: boolean, depth: number): Html {
    const { target, name: reference } = this.resolve(schema)
    const inner = this.#inner(target, depth + 1)
    const description = schema.description ?? target.description
    return html`<li><p class="property"><code class="name">${name}</code> <span class="type">${this.typeOf(schema)}</span>${
      is_required && html` <span class="required">required</span>`
    }</p>${description && html`<p>${inlineCode(description)}</p>`}${limitsOf(target)}${
      inner && html`<details><summary>${reference ?? 'Properties'}</summary>${inner}</details>`
    }</li>`
  }
}

/** Text whose words between backticks are code. */
export function inlineCode(text: string): Content {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
}

function limitsOf(schema: Schema): Content {
  const items: Schema = schema.items ?? {}
  const facts: Content[] = []
  const add = (label: string, value: unknown) => {
    if (value !== undefined)
      facts.push(html`${label} <code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`)
  }
  add('Default', schema.default)
  add('Format', schema.format)
  if (schema.pattern === OBJECT_ID) facts.push('24 hexadecimal digits')
  else add('Pattern', schema.pattern)
  const range = (label: string, least: number | undefined, most: number | undefined) => {
    if (least === undefined && most === undefined) return
    // The widest integers of JSON are no limit that readers need.
    const end = most === undefined || most >= Number.MAX_SAFE_INTEGER ? undefined : most
    if (least !== undefined && end !== undefined) facts.push(`${label} ${least} to ${end}`)
    else if (end !== undefined) facts.push(`${label} at most ${end}`)
    else if (least !== undefined && least > Number.MIN_SAFE_INTEGER) facts.push(`${label} at least ${least}`)
  }
  range('Value', schema.minimum, schema.maximum)
  range('Characters', schema.minLength, schema.maxLength)
  range('Items', schema.minItems, schema.maxItems)
  range('Properties', schema.minProperties, schema.maxProperties)
  const values = schema.enum ?? items.enum
  const value_list = values && valuesOf(values)
  const limits =
    facts.length > 0 && html`<p class="limits">${facts.map((fact, index) => (index > 0 ? html` · ${fact}` : fact))}</p>`
  return [limits, value_list]
}

function valuesOf(values: readonly unknown[]): Html {
  const list = values.map((value) => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code> `)
  if (values.length <= MAX_VALUES) return html`<p class="values">${list}</p>`
  return html`<details><summary>${values.length} values</summary><p class="values">${list}</p></details>`
}
