/**
 * Examples of a template's variables, which Meta's reviewers read. They are given by the names that a send uses, and
 * become the `example` of each component. A component that brings its own keeps it.
 */
import { type Json, objects, textOf } from '../json.ts'
import type { Accepted } from '../provider_media.ts'
import { isNumber, isOneTimePassword, kindOf, placeholders } from './template.ts'

export type Exemplified = {
  components: Json[]
  /** Names of variables without an example. */
  missing: string[]
  /** Headers whose example is a file: the variable and the format. */
  files: { name: string; format: FileFormat }[]
}

export type FileFormat = 'IMAGE' | 'VIDEO' | 'DOCUMENT'

const FILES: Record<FileFormat, string> = {
  IMAGE: 'header_image',
  VIDEO: 'header_video',
  DOCUMENT: 'header_document',
}

const MIB = 1024 * 1024

/** Files that can be the example of a header: the types of a resumable upload, with the sizes that a message may have. */
export const EXAMPLE_FILES: Record<FileFormat, [Accepted, ...Accepted[]]> = {
  IMAGE: [
    { mime_type: 'image/jpeg', max_bytes: 5 * MIB },
    { mime_type: 'image/png', max_bytes: 5 * MIB },
  ],
  VIDEO: [{ mime_type: 'video/mp4', max_bytes: 16 * MIB }],
  DOCUMENT: [{ mime_type: 'application/pdf', max_bytes: 100 * MIB }],
}

/** The components with the examples in Meta's form. Linear in the size of the components. */
export function withExamples(components: readonly Json[], examples: Readonly<Record<string, string>>): Exemplified {
  const missing = new Set<string>()
  const files = new Map<string, FileFormat>()
  const value = (name: string, format?: FileFormat) => {
    if (format) files.set(name, format)
    if (Object.hasOwn(examples, name)) return examples[name]!
    missing.add(name)
    return ''
  }
  const exemplified = exemplify(components, value, '')
  return {
    components: exemplified,
    missing: [...missing],
    files: [...files].map(([name, format]) => ({ name, format })),
  }
}

type ValueOf = (name: string, format?: FileFormat) => string

function exemplify(components: readonly Json[], value: ValueOf, prefix: string): Json[] {
  const body = components.find((one) => kindOf(one) === 'BODY')
  const of_body = new Set(placeholders(body?.text))
  return components.map((component) => {
    switch (kindOf(component)) {
      case 'HEADER':
        return withExample(component, () => headerExample(component, of_body, value, prefix))
      case 'BODY':
        // Its own names: a list that is about to be refused may have many bodies.
        return withExample(component, () =>
          textExample('body_text', placeholders(component.text), (name) => value(prefix + name), true),
        )
      case 'BUTTONS': {
        const buttons = objects(component.buttons).map((button, index) => exemplifyButton(button, index, value, prefix))
        return { ...component, buttons }
      }
      case 'CAROUSEL': {
        const cards = objects(component.cards).map((card, index) => ({
          ...card,
          components: exemplify(objects(card.components), value, `${prefix}card_${index}_`),
        }))
        return { ...component, cards }
      }
      default:
        return component
    }
  })
}

function withExample(component: Json, make: () => unknown): Json {
  if (component.example !== undefined) return component
  const example = make()
  return example === undefined ? component : { ...component, example }
}

function headerExample(header: Json, body: ReadonlySet<string>, value: ValueOf, prefix: string): Json | undefined {
  const format = (textOf(header.format) ?? 'TEXT').toUpperCase()
  if (isFileFormat(format)) return { header_handle: [value(prefix + FILES[format], format)] }
  if (format !== 'TEXT') return undefined
  const variable = (name: string) => `${prefix}${isNumber(name) && body.has(name) ? 'header_' : ''}${name}`
  return textExample('header_text', placeholders(header.text), (name) => value(variable(name)), false)
}

function isFileFormat(format: string): format is FileFormat {
  return Object.hasOwn(FILES, format)
}

/** Numbered placeholders of a body are a list of lists, those of a header a list. */
function textExample(field: string, names: readonly string[], value: ValueOf, is_nested: boolean): Json | undefined {
  if (names.length === 0) return undefined
  if (!names.every(isNumber)) {
    return { [`${field}_named_params`]: names.map((param_name) => ({ param_name, example: value(param_name) })) }
  }
  const values = names.map((name) => value(name))
  return { [field]: is_nested ? [values] : values }
}

function exemplifyButton(button: Json, index: number, value: ValueOf, prefix: string): Json {
  const variable = `${prefix}button_${index}`
  switch (kindOf(button)) {
    case 'URL': {
      const url = textOf(button.url) ?? ''
      const [name] = placeholders(url)
      if (name === undefined || isOneTimePassword(url)) return button
      return withExample(button, () => [url.replace(PLACEHOLDER, () => value(variable))])
    }
    case 'COPY_CODE':
      return withExample(button, () => value(variable))
    default:
      return button
  }
}

const PLACEHOLDER = /\{\{\s*\w+\s*\}\}/
