/** The components of a template that a client submits, in Meta's notation, and the rules that Meta's review begins with. */
import * as v from 'valibot'
import {
  across,
  composedText,
  dictionary,
  fieldsOf,
  isNumber,
  itemsOf,
  maxCharacters,
  minCharacters,
  placeholders,
  repeated,
  withExamples,
} from '../../../actors/mod.ts'

const FORMATS = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'] as const
const BUTTONS = [
  'QUICK_REPLY',
  'URL',
  'PHONE_NUMBER',
  'COPY_CODE',
  'OTP',
  'FLOW',
  'CATALOG',
  'MPM',
  'SPM',
  'VOICE_CALL',
] as const

/** One of each kind. */
const MAX_COMPONENTS = 6
/** Maximum characters of the text of a component. */
const TEXT_LENGTHS: Readonly<Record<string, number>> = { HEADER: 60, BODY: 1024, FOOTER: 60 }
const MAX_BUTTONS = 10
const MAX_BUTTON_TEXT = 25
const MAX_URL = 2000
const MAX_CARDS = 10
/** Examples that are asked for at once; more are named when these are there. */
const MAX_MISSING = 100

const text = (max: number) => v.optional(v.pipe(v.string(), composedText(), minCharacters(1), maxCharacters(max)))

const button = v.looseObject({
  type: v.picklist(BUTTONS),
  text: text(MAX_BUTTON_TEXT),
  url: text(MAX_URL),
})

const simple = {
  type: v.picklist(['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER']),
  format: v.optional(v.picklist(FORMATS)),
  text: text(TEXT_LENGTHS.BODY!),
  buttons: v.optional(v.pipe(v.array(button), v.minLength(1), v.maxLength(MAX_BUTTONS))),
}

const card = v.looseObject({ components: v.pipe(v.array(v.looseObject(simple)), v.minLength(1), v.maxLength(4)) })

const component = v.looseObject({
  ...simple,
  cards: v.optional(v.pipe(v.array(card), v.minLength(2), v.maxLength(MAX_CARDS))),
})

export const templateComponents = v.pipe(
  v.array(component),
  v.minLength(1, 'must have a BODY'),
  v.maxLength(MAX_COMPONENTS),
  v.description("Header, body, footer and buttons in Meta's notation; `example` may be left to `examples`"),
)

export const templateExamples = v.optional(
  v.pipe(
    dictionary(v.pipe(v.string(), minCharacters(1), maxCharacters(2000)), 200),
    v.description(
      "An example of each variable for Meta's review, by the names that `variables` of a send has. That of a file in a header (`header_image`, `card_0_header_video`) is the `media_id` of a file of the project, or a handle of Meta's resumable upload",
    ),
  ),
  {},
)

/** Judges components and examples together. Parts of a wrong type are skipped. */
export function templateRules<Input>() {
  return across<Input>((value, say) => {
    const { components, examples, category } = fieldsOf(value)
    if (components === undefined) return
    // A longer list is refused for its length.
    const list = itemsOf(components).slice(0, MAX_COMPONENTS).map(fieldsOf)
    const kinds = list.map(({ type }) => type)
    for (const at of repeated(kinds)) say('is there twice', ['components', at, 'type'])
    if (!kinds.includes('BODY')) say('must have a BODY', ['components'])
    list.forEach((one, at) => {
      const problem = problemOf(one, category)
      if (problem) say(problem, ['components', at, 'text'])
    })
    const entries = Object.entries(fieldsOf(examples)).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    )
    for (const name of withExamples(list, Object.fromEntries(entries)).missing.slice(0, MAX_MISSING)) {
      say("is needed: Meta's review reads an example of each variable", ['examples', name])
    }
  })
}

/** What is wrong with the text of a component, if anything. */
function problemOf({ type, format, text }: Record<string, unknown>, category: unknown): string | undefined {
  if (typeof type !== 'string' || !Object.hasOwn(TEXT_LENGTHS, type)) return undefined
  if (typeof text !== 'string') {
    // Meta writes the texts of one-time passwords itself.
    const is_needed = category !== 'AUTHENTICATION' && (type !== 'HEADER' || (format ?? 'TEXT') === 'TEXT')
    return is_needed ? 'is needed' : undefined
  }
  const max = TEXT_LENGTHS[type]!
  if (text.length > max && [...text].length > max) return `must have at most ${max} characters`
  const names = placeholders(text)
  if (type === 'FOOTER' && names.length > 0) return 'must have no variables'
  if (type === 'HEADER' && names.length > 1) return 'must have at most one variable'
  const numbers = names.filter(isNumber)
  if (numbers.length > 0 && numbers.length < names.length) return 'must have either numbers or names as variables'
  if (numbers.some((name, at) => Number(name) !== at + 1)) return 'must count its variables from {{1}} without a gap'
  if (type === 'BODY' && EDGE.test(text.trim())) return 'must neither begin nor end with a variable'
  return undefined
}

const EDGE = /^\{\{|\}\}$/
