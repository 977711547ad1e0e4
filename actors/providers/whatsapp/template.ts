/**
 * The variables of a template, and the parameters made from them.
 *
 * A template's placeholders are numbered (`{{1}}`, counted anew in header, body and button) or named (`{{city}}`). Our
 * API takes one map of text for all of them:
 *
 * - `1`, `city`                    a placeholder of the body, or of the header when the body has none of that number
 * - `header_1`                     a numbered placeholder of the header when the body has one of the same number
 * - `header_image`, `_video`, `_document`   the file of a header: a link, or the id of an uploaded file (`fileKindOf`)
 * - `header_latitude`, `_longitude`, `_name`, `_address`   the place of a header
 * - `button_0`                     the end of the link, or the code, of the first button
 * - `card_0_…`                     any of these within the first card of a carousel
 *
 * A one-time password is given once, as `1`, and its copy button uses it, too.
 */
import { isObject, type Json, objects, textOf } from '../json.ts'
import type { FlowBinding } from '../payload.ts'

/** A parameter of a template, and the variables it is made of. `is_text`: it becomes a part of the message's text. */
type Slot = { variables: string[]; parameter: (...values: string[]) => Json; is_text?: true }

/** A component of the message to send. */
type Part = { head: Json; slots: Slot[] } | { cards: Part[][] }

/** The required variables of the template, each once, in the order of their places. */
export function templateVariables(components: readonly Json[]): string[] {
  return [...new Set(partsOf(components).flatMap(variablesOf))]
}

/** Line breaks and tabs. */
const BREAKS = '[\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029]'
/** Meta refuses a text with any of these, and one without a character that can be seen. */
const REFUSED = new RegExp(`${BREAKS}| {5}|^\\s*$`)

/** True for a text that Meta takes in place of a placeholder. */
function isVariableText(text: string): boolean {
  return !REFUSED.test(text)
}

/** The given variables whose text Meta would refuse. */
export function refusedVariables(components: readonly Json[], values: Readonly<Record<string, string>>): string[] {
  const names = new Set(partsOf(components).flatMap(textsOf))
  return [...names].filter((name) => Object.hasOwn(values, name) && !isVariableText(values[name]!))
}

function textsOf(part: Part): string[] {
  if ('cards' in part) return part.cards.flat().flatMap(textsOf)
  return part.slots.flatMap(({ variables, is_text }) => (is_text ? variables : []))
}

/** The `components` of a template message. A missing variable is sent as empty text, which Meta refuses. */
export function bindTemplate(
  components: readonly Json[],
  variables: Readonly<Record<string, string>>,
  flow?: FlowBinding,
): Json[] {
  const value = (name: string) => (Object.hasOwn(variables, name) ? (variables[name] ?? '') : '')
  return [...partsOf(components).map((part) => bind(part, value)), ...flowButtons(components, flow)]
}

type FileKind = 'image' | 'video' | 'document'

const FILE = /^(?:card_\d+_)?header_(image|video|document)$/

/** The kind of the file whose id is the value of a variable; undefined for text and links. */
export function fileKindOf(variable: string, value: string): FileKind | undefined {
  const kind = FILE.exec(variable)?.[1] as FileKind | undefined
  return kind && !isLink(value) ? kind : undefined
}

function bind(part: Part, value: (name: string) => string): Json {
  if ('cards' in part) {
    const cards = part.cards.map((parts, card_index) => ({
      card_index,
      components: parts.map((one) => bind(one, value)),
    }))
    return { type: 'carousel', cards }
  }
  return { ...part.head, parameters: part.slots.map(({ variables, parameter }) => parameter(...variables.map(value))) }
}

function variablesOf(part: Part): string[] {
  return 'cards' in part ? part.cards.flat().flatMap(variablesOf) : part.slots.flatMap(({ variables }) => variables)
}

function partsOf(components: readonly Json[], prefix = ''): Part[] {
  const body = new Set(placeholders(componentOf(components, 'BODY')?.text))
  return components.flatMap((component): Part[] => {
    switch (kindOf(component)) {
      case 'HEADER':
        return part({ type: 'header' }, headerSlots(component, body, prefix))
      case 'BODY':
        return part(
          { type: 'body' },
          placeholders(component.text).map((name) => textSlot(prefix + name, name)),
        )
      case 'BUTTONS':
        return objects(component.buttons).flatMap((button, index) => buttonPart(button, index, prefix))
      case 'CAROUSEL': {
        const card = (one: Json, index: number) => partsOf(objects(one.components), `${prefix}card_${index}_`)
        return [{ cards: objects(component.cards).map(card) }]
      }
      default:
        return []
    }
  })
}

function part(head: Json, slots: Slot[]): Part[] {
  return slots.length > 0 ? [{ head, slots }] : []
}

function headerSlots(header: Json, body: ReadonlySet<string>, prefix: string): Slot[] {
  const format = (textOf(header.format) ?? 'TEXT').toLowerCase()
  switch (format) {
    case 'text':
      return placeholders(header.text).map((name) => {
        const is_taken = isNumber(name) && body.has(name)
        return textSlot(`${prefix}${is_taken ? 'header_' : ''}${name}`, name)
      })
    case 'image':
    case 'video':
    case 'document': {
      const parameter = (value = '') => ({ type: format, [format]: isLink(value) ? { link: value } : { id: value } })
      return [{ variables: [`${prefix}header_${format}`], parameter }]
    }
    case 'location': {
      const variables = ['latitude', 'longitude', 'name', 'address'].map((field) => `${prefix}header_${field}`)
      const parameter = (latitude = '', longitude = '', name = '', address = '') => ({
        type: 'location',
        location: { latitude, longitude, name, address },
      })
      return [{ variables, parameter }]
    }
    default:
      return []
  }
}

function buttonPart(button: Json, index: number, prefix: string): Part[] {
  const head = (sub_type: string) => ({ type: 'button', sub_type, index: String(index) })
  const variable = `${prefix}button_${index}`
  const url = textOf(button.url) ?? ''
  switch (kindOf(button)) {
    case 'URL':
      if (placeholders(url).length === 0) return []
      return part(head('url'), [textSlot(isOneTimePassword(url) ? `${prefix}1` : variable, '1')])
    case 'OTP':
      return part(head('url'), [textSlot(`${prefix}1`, '1')])
    case 'COPY_CODE':
      return part(head('copy_code'), [
        { variables: [variable], parameter: (coupon_code = '') => ({ type: 'coupon_code', coupon_code }) },
      ])
    default:
      return []
  }
}

/** The indexes of the buttons that open a Flow. */
export function flowButtonIndexes(components: readonly Json[]): number[] {
  const buttons = objects(componentOf(components, 'BUTTONS')?.buttons)
  return [...buttons.keys()].filter((index) => kindOf(buttons[index]!) === 'FLOW')
}

/** Every FLOW button gets its token; Meta treats `unused` as "none". The binding goes to the button it names, or the first. */
function flowButtons(components: readonly Json[], flow: FlowBinding | undefined): Json[] {
  const indexes = flowButtonIndexes(components)
  const bound = flow?.button_index ?? indexes[0]
  return indexes.map((index) => {
    const { flow_token = 'unused', flow_action_data } = (index === bound && flow) || {}
    const action = { flow_token, ...(flow_action_data && { flow_action_data }) }
    return { type: 'button', sub_type: 'flow', index: String(index), parameters: [{ type: 'action', action }] }
  })
}

function textSlot(variable: string, name: string): Slot {
  const named = isNumber(name) ? {} : { parameter_name: name }
  return { variables: [variable], parameter: (text = '') => ({ type: 'text', ...named, text }), is_text: true }
}

function componentOf(components: readonly Json[], kind: string): Json | undefined {
  return components.find((component) => isObject(component) && kindOf(component) === kind)
}

export function kindOf(component: Json): string {
  return (textOf(component.type) ?? '').toUpperCase()
}

/** No text and no link of a template has more letters. */
const MAX_TEXT = 4_096

/** The placeholders of a text, each once, numbered ones in the order of their numbers. */
export function placeholders(text: unknown): string[] {
  const names = [...(textOf(text) ?? '').slice(0, MAX_TEXT).matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(
    ([, name]) => name as string,
  )
  return [...new Set(names)].sort((a, b) => (isNumber(a) && isNumber(b) ? Number(a) - Number(b) : 0))
}

export function isNumber(name: string): boolean {
  return /^\d+$/.test(name)
}

function isLink(value: string): boolean {
  return /^https?:\/\//i.test(value)
}

export function isOneTimePassword(url: string): boolean {
  return /^https:\/\/www\.whatsapp\.com\/otp\//.test(url)
}
