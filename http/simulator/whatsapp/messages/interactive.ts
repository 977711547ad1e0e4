import {
  invalid,
  type Json,
  list,
  number,
  object,
  oneOf,
  optionalObject,
  optionalText,
  text,
  webUrl,
} from '../requests/check.ts'
import type { MessageContext } from './message_context.ts'

const BODY = 1024
const FOOTER = 60
const HEADER = 60
const BUTTON = 20
const MEDIA_UPLOAD_ERROR = 131053

type ActionChecker = (action: Json, context: MessageContext) => number | undefined

const ACTIONS: Record<string, ActionChecker> = {
  button: (action) => {
    replyButtons(action, "action['buttons']", 3)
    return undefined
  },
  list: checkList,
  cta_url: (action) => {
    ctaUrl(action, 'action')
    return undefined
  },
  catalog_message: (action) => {
    oneOf(action, 'name', "action['name']", ['catalog_message'])
    optionalObject(action, 'parameters', "action['parameters']")
    return undefined
  },
  carousel: checkCarousel,
  flow: checkFlow,
  product: (action) => {
    text(action, 'catalog_id', "action['catalog_id']", 128)
    text(action, 'product_retailer_id', "action['product_retailer_id']", 256)
    return undefined
  },
  product_list: (action) => {
    text(action, 'catalog_id', "action['catalog_id']", 128)
    list(action, 'sections', "action['sections']", 1, 10)
    return undefined
  },
  location_request_message: (action) => {
    oneOf(action, 'name', "action['name']", ['send_location'])
    return undefined
  },
  address_message: (action) => {
    object(action, 'parameters', "action['parameters']")
    return undefined
  },
  call_permission_request: () => undefined,
  voice_call: () => undefined,
}

/** Types whose body is optional. */
const BODILESS = new Set(['product', 'catalog_message', 'call_permission_request'])

/** Checks the `interactive` node; returns the code of a later failure, if any. Throws GraphError. */
export function checkInteractive(interactive: Json, context: MessageContext): number | undefined {
  const type = oneOf(interactive, 'type', "interactive['type']", Object.keys(ACTIONS))
  const body = optionalObject(interactive, 'body', "interactive['body']")
  // A list body may be four times as long as the others.
  if (body || !BODILESS.has(type))
    text(body ?? {}, 'text', "interactive['body']['text']", type === 'list' ? 4 * BODY : BODY)
  const footer = optionalObject(interactive, 'footer', "interactive['footer']")
  if (footer) text(footer, 'text', "interactive['footer']['text']", FOOTER)
  const header = optionalObject(interactive, 'header', "interactive['header']")
  const late = header ? checkHeader(header, type, context) : undefined
  if (type === 'product_list' && !header) throw invalid('product_list needs a text header.')
  const action = object(interactive, 'action', "interactive['action']")
  return ACTIONS[type]?.(action, context) ?? late
}

function checkHeader(header: Json, type: string, context: MessageContext): number | undefined {
  const kinds =
    type === 'button' || type === 'cta_url' || type === 'flow' ? ['text', 'image', 'video', 'document'] : ['text']
  const kind = oneOf(header, 'type', "interactive['header']['type']", kinds)
  if (kind === 'text') {
    text(header, 'text', "interactive['header']['text']", HEADER)
    return undefined
  }
  return headerMedia(header, kind, "interactive['header']", context)
}

function headerMedia(header: Json, kind: string, path: string, context: MessageContext): number | undefined {
  const media = object(header, kind, `${path}['${kind}']`)
  if (media.id !== undefined && media.id !== null) {
    if (!context.hasMedia(String(media.id)))
      throw invalid(`${path}['${kind}']['id'] is not a media id of this account.`)
    return undefined
  }
  const link = webUrl(media, 'link', `${path}['${kind}']['link']`)
  return kind === 'image' && /\.webp($|[?#])/i.test(link) ? MEDIA_UPLOAD_ERROR : undefined
}

function replyButtons(action: Json, path: string, max: number): void {
  const buttons = list(action, 'buttons', path, 1, max)
  const ids = new Set<string>()
  const titles = new Set<string>()
  buttons.forEach((button, index) => {
    const type = oneOf(button, 'type', `${path}[${index}]['type']`, ['reply', 'quick_reply'])
    const reply = object(button, type, `${path}[${index}]['${type}']`)
    ids.add(text(reply, 'id', `${path}[${index}]['${type}']['id']`, 256))
    titles.add(bounded(reply, 'title', `Button title`, BUTTON))
  })
  if (ids.size < buttons.length) throw invalid('Button ids must be unique within a message.')
  if (titles.size < buttons.length) throw invalid('Button titles must be unique within a message.')
}

/** Labels that are too long are refused with 131009, with this text. */
function bounded(parent: Json, key: string, what: string, max: number): string {
  const value = parent[key]
  if (typeof value !== 'string' || value.length < 1 || value.length > max)
    throw invalid(`${what} length invalid. Min length: 1, Max length: ${max}`)
  return value
}

function checkList(action: Json): undefined {
  bounded(action, 'button', 'List button', BUTTON)
  const sections = list(action, 'sections', "action['sections']", 1, 10)
  const ids = new Set<string>()
  let rows = 0
  sections.forEach((section, index) => {
    const path = `action['sections'][${index}]`
    if (sections.length > 1) bounded(section, 'title', 'Section title', 24)
    else if (section.title !== undefined && section.title !== '') bounded(section, 'title', 'Section title', 24)
    for (const row of list(section, 'rows', `${path}['rows']`, 1, 10)) {
      rows += 1
      ids.add(bounded(row, 'id', 'Row id', 200))
      bounded(row, 'title', 'Row title', 24)
      optionalText(row, 'description', `${path}['rows']['description']`, 72)
    }
  })
  if (rows > 10) throw invalid(`Total row count exceed max allowed count: 10, got ${rows}.`)
  if (ids.size < rows) throw invalid('Duplicated row id.')
}

function ctaUrl(action: Json, path: string): void {
  oneOf(action, 'name', `${path}['name']`, ['cta_url'])
  const parameters = object(action, 'parameters', `${path}['parameters']`)
  bounded(parameters, 'display_text', 'Display text', BUTTON)
  webUrl(parameters, 'url', `${path}['parameters']['url']`)
}

function checkCarousel(action: Json, context: MessageContext): number | undefined {
  const cards = list(action, 'cards', "action['cards']", 2, 10)
  let late: number | undefined
  const kinds = new Set<string>()
  cards.forEach((card, index) => {
    const path = `action['cards'][${index}]`
    if (number(card, 'card_index', `${path}['card_index']`, 0, 9) !== index)
      throw invalid(`${path}['card_index'] must be ${index}.`)
    const header = object(card, 'header', `${path}['header']`)
    const kind = oneOf(header, 'type', `${path}['header']['type']`, ['image', 'video'])
    kinds.add(kind)
    late = headerMedia(header, kind, `${path}['header']`, context) ?? late
    const body = optionalObject(card, 'body', `${path}['body']`)
    if (body) text(body, 'text', `${path}['body']['text']`, 160)
    const inner = object(card, 'action', `${path}['action']`)
    if (inner.buttons !== undefined) replyButtons(inner, `${path}['action']['buttons']`, 2)
    else ctaUrl(inner, `${path}['action']`)
  })
  if (kinds.size > 1) throw invalid('All carousel cards must have the same header type.')
  return late
}

function checkFlow(action: Json, context: MessageContext): undefined {
  oneOf(action, 'name', "action['name']", ['flow'])
  const parameters = object(action, 'parameters', "action['parameters']")
  const path = "action['parameters']"
  oneOf(parameters, 'flow_message_version', `${path}['flow_message_version']`, ['3'])
  if (parameters.flow_id === undefined && parameters.flow_name === undefined)
    throw invalid(`${path} needs flow_id or flow_name.`)
  bounded(parameters, 'flow_cta', 'Flow CTA', 30)
  optionalText(parameters, 'flow_token', `${path}['flow_token']`, 200)
  if (parameters.mode !== undefined) oneOf(parameters, 'mode', `${path}['mode']`, ['draft', 'published'])
  if (parameters.flow_action !== undefined)
    oneOf(parameters, 'flow_action', `${path}['flow_action']`, ['navigate', 'data_exchange'])
  const payload = optionalObject(parameters, 'flow_action_payload', `${path}['flow_action_payload']`)
  if (payload) text(payload, 'screen', `${path}['flow_action_payload']['screen']`, 256)
  if (parameters.flow_id !== undefined)
    context.checkFlow(String(parameters.flow_id), parameters.mode as string | undefined)
}
