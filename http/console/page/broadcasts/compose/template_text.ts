/**
 * A template with the values of one person, as the person will see it. The names of the variables are those of
 * `docs/templates.md`. No DOM.
 */
import type { TemplateComponent as Component } from '../../records/template.ts'

/** A piece of a text. `variable` is the name of the variable that it comes from, `is_open` when that has no value. */
export type Piece = { text: string; variable?: string; is_open?: boolean }
/** `file` is the kind of a header that is no text, with its variable's value. */
type Preview = {
  header: Piece[]
  file: { kind: string; value: string } | null
  body: Piece[]
  footer: string
  buttons: { kind: string; text: string }[]
  cards: number
}

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g

export function previewOf(components: readonly Component[], values: Readonly<Record<string, string>>): Preview {
  const one = (type: string) => components.find((component) => component.type?.toUpperCase() === type)
  const header = one('HEADER')
  const body = one('BODY')?.text ?? ''
  const in_body = placeholders(body)
  const kind = (header?.format ?? 'TEXT').toLowerCase()
  const nameInHeader = (name: string) => (/^\d+$/.test(name) && in_body.includes(name) ? `header_${name}` : name)
  return {
    header: header && kind === 'text' ? pieces(header.text ?? '', values, nameInHeader) : [],
    file: header && kind !== 'text' ? { kind, value: values[`header_${kind}`] ?? '' } : null,
    body: pieces(body, values),
    footer: one('FOOTER')?.text ?? '',
    buttons: (one('BUTTONS')?.buttons ?? []).map(({ type, text }) => ({
      kind: type.toLowerCase(),
      text: text ?? type,
    })),
    cards: one('CAROUSEL')?.cards?.length ?? 0,
  }
}

/** Names a variable for people: `header_image` is an image, `2` the second placeholder. */
export function nameOfVariable(variable: string): string {
  if (/^\d+$/.test(variable)) return `{{${variable}}}`
  const header = /^header_(\w+)$/.exec(variable)?.[1]
  if (header) return /^\d+$/.test(header) ? `{{${header}}} of the header` : `${header} of the header`
  const button = /^button_(\d+)$/.exec(variable)?.[1]
  if (button) return `End of the link or code of button ${Number(button) + 1}`
  const card = /^card_(\d+)_(.+)$/.exec(variable)
  if (card) return `Card ${Number(card[1]) + 1}: ${nameOfVariable(card[2] ?? '')}`
  return `{{${variable}}}`
}

function placeholders(text: string) {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name ?? '')
}

function pieces(
  text: string,
  values: Readonly<Record<string, string>>,
  variableOf: (name: string) => string = (name) => name,
): Piece[] {
  const found: Piece[] = []
  let at = 0
  for (const { 0: all, 1: name = '', index } of text.matchAll(PLACEHOLDER)) {
    if (index > at) found.push({ text: text.slice(at, index) })
    const variable = variableOf(name)
    const value = values[variable]
    found.push(value ? { text: value, variable } : { text: all, variable, is_open: true })
    at = index + all.length
  }
  if (at < text.length) found.push({ text: text.slice(at) })
  return found
}
