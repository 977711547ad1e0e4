/** Message templates: their texts with the variables of a send, and names of variables for people. No DOM, no state. */
import type { AnyRecord } from '../records/record.ts'

/** Up to the next brace, so that a text is read once. */
const VARIABLE = /\{\{([^{}]{1,64})\}\}/g

export type Template = {
  _id: string
  name: string
  language: string
  status: string
  category: string
  components: AnyRecord[]
  variables: string[]
}
/** A part of a text; a variable without a value has `is_missing`. */
export type Piece = { text: string; is_variable?: boolean; is_missing?: boolean }

/**
 * The template as the person will see it.
 *
 * @param prefix of the variables of a card
 */
export function shownTemplate(
  components: readonly AnyRecord[],
  values: Record<string, string>,
  prefix: string = '',
): {
  header: Piece[]
  file: string | undefined
  body: Piece[]
  footer: string | undefined
  buttons: string[]
  cards: number
} {
  const one = (type: string) => components.find((component) => kindOf(component) === type)
  const header = one('HEADER')
  const body = one('BODY')?.text ?? ''
  const in_body = namesIn(body)
  const format = (header?.format ?? 'TEXT').toLowerCase()
  return {
    header:
      format === 'text' && header?.text
        ? pieces(header.text, (name) => {
            const is_taken = /^\d+$/.test(name) && in_body.includes(name)
            return values[`${prefix}${is_taken ? 'header_' : ''}${name}`]
          })
        : [],
    file: header && format !== 'text' ? format : undefined,
    body: pieces(body, (name) => values[prefix + name]),
    footer: one('FOOTER')?.text,
    buttons: (one('BUTTONS')?.buttons ?? []).map((button: AnyRecord) => button.text ?? kindOf(button)),
    cards: one('CAROUSEL')?.cards?.length ?? 0,
  }
}

/** The name of a variable for people: `{{1}}`, `Picture of the header`, `Card 2: button 1`. */
export function nameOfVariable(variable: string): string {
  const card = /^card_(\d+)_(.+)$/.exec(variable)
  if (card) return `Card ${Number(card[1]) + 1}: ${nameOfVariable(card[2] ?? '')}`
  const button = /^button_(\d+)$/.exec(variable)
  if (button) return `Button ${Number(button[1]) + 1}: end of the link, or the code`
  const header = /^header_(\w+)$/.exec(variable)?.[1]
  if (header === undefined) return `{{${variable}}}`
  return HEADERS[header] ?? `Header {{${header}}}`
}

const HEADERS: Partial<Record<string, string>> = {
  image: 'Picture of the header',
  video: 'Video of the header',
  document: 'Document of the header',
  latitude: 'Latitude',
  longitude: 'Longitude',
  name: 'Name of the place',
  address: 'Address of the place',
}

/** The kind of file that a variable is: `image`, `video` or `document`. */
export function fileOfVariable(variable: string) {
  return /(?:^|_)header_(image|video|document)$/.exec(variable)?.[1]
}

/** A text that begins by greeting a variable, as templates in English, Spanish and Portuguese do. */
const GREETING =
  /^\W{0,8}(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hola|buenos días|buenas tardes|estimad[oa]|querid[oa]|olá|oi|bom dia|boa tarde|prezad[oa]),? \{\{(\d{1,3})\}\}/i

/**
 * Values that are known before the agent fills in the others: those that are named like the contact's,
 * or like one of its custom fields; and the first name in a greeting, where variables have numbers for names.
 *
 * @param body of the template
 */
export function firstValues(
  variables: readonly string[],
  contact: AnyRecord | undefined,
  body: string = '',
): Record<string, string> {
  const name = contact?.name ?? ''
  const [first = ''] = name.split(/\s+/)
  const known: Partial<Record<string, string>> = {
    name,
    full_name: name,
    customer_name: name,
    first_name: first,
    nombre: first,
    phone: contact?.phone ?? '',
  }
  const greeted = GREETING.exec(body)?.[1]
  if (greeted !== undefined) known[greeted] ??= first
  const fields = contact?.custom_fields ?? {}
  const firstOf = (variable: string) => {
    if (Object.hasOwn(known, variable)) return known[variable] ?? ''
    const field = Object.hasOwn(fields, variable) ? fields[variable] : undefined
    return typeof field === 'string' || typeof field === 'number' ? String(field) : ''
  }
  return Object.fromEntries(variables.map((variable) => [variable, firstOf(variable)]))
}

/** The templates that have each word of the query in the name, in the language, in the category or in a text. */
export function templatesFor<
  One extends { name: string; language: string; category: string; components: readonly { text?: string }[] },
>(templates: readonly One[], query: string): One[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return templates.filter(({ name, language, category, components }) => {
    const texts = components.map(({ text = '' }) => text).join(' ')
    const all = `${name} ${name.replaceAll('_', ' ')} ${language} ${category} ${texts}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

function pieces(text: string, lookUp: (name: string) => string | undefined): Piece[] {
  return partsOf(text).map((part) => {
    if ('text' in part) return part
    const value = lookUp(part.variable)?.trim()
    return value
      ? { text: value, is_variable: true }
      : { text: `{{${part.variable}}}`, is_variable: true, is_missing: true }
  })
}

export function textIn(pieces: readonly Piece[]) {
  return pieces.map(({ text }) => text).join('')
}

function namesIn(text: string) {
  return partsOf(text).flatMap((part) => ('variable' in part ? [part.variable] : []))
}

function kindOf({ type }: AnyRecord) {
  return String(type ?? '').toUpperCase()
}

/** The parts of a text: as it is, and its variables by name. */
function partsOf(text: string): ({ text: string } | { variable: string })[] {
  const parts = []
  let at = 0
  for (const { 0: whole, 1: variable = '', index } of text.matchAll(VARIABLE)) {
    if (index > at) parts.push({ text: text.slice(at, index) })
    parts.push({ variable: variable.trim() })
    at = index + whole.length
  }
  if (at < text.length) parts.push({ text: text.slice(at) })
  return parts
}
