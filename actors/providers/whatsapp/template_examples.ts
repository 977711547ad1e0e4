/**
 * Examples of a template's variables, which Meta's reviewers read. They are given by the names that a send uses, and
 * become the `example` of each component. A component that brings its own keeps it.
 */
import { type Json, objects, textOf } from '../json.ts'
import { isNumber, isOneTimePassword, kindOf, placeholders } from './template.ts'

export type Exemplified = {
  components: Json[]
  /** Names of variables without an example. */
  missing: string[]
}

const FILES: Record<string, string> = { IMAGE: 'header_image', VIDEO: 'header_video', DOCUMENT: 'header_document' }

/** The components with the examples in Meta's form. Linear in the size of the components. */
export function withExamples(components: readonly Json[], examples: Readonly<Record<string, string>>): Exemplified {
  const missing = new Set<string>()
  const value = (name: string) => {
    if (Object.hasOwn(examples, name)) return examples[name]!
    missing.add(name)
    return ''
  }
  return { components: exemplify(components, value, ''), missing: [...missing] }
}

type ValueOf = (name: string) => string

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
  if (Object.hasOwn(FILES, format)) return { header_handle: [value(prefix + FILES[format]!)] }
  if (format !== 'TEXT') return undefined
  const variable = (name: string) => `${prefix}${isNumber(name) && body.has(name) ? 'header_' : ''}${name}`
  return textExample('header_text', placeholders(header.text), (name) => value(variable(name)), false)
}

/** Numbered placeholders of a body are a list of lists, those of a header a list. */
function textExample(field: string, names: readonly string[], value: ValueOf, is_nested: boolean): Json | undefined {
  if (names.length === 0) return undefined
  if (!names.every(isNumber)) {
    return { [`${field}_named_params`]: names.map((param_name) => ({ param_name, example: value(param_name) })) }
  }
  const values = names.map(value)
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
