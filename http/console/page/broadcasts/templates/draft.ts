/** A template while it is written: the fields of the form, and the bodies of the requests. No DOM. */
import type { Template, TemplateButton, TemplateComponent } from '../../records/template.ts'

export type DraftButton = { type: 'QUICK_REPLY' | 'URL'; text: string; url: string }

export type FileFormat = 'IMAGE' | 'VIDEO' | 'DOCUMENT'

export type DraftFile = { media_id: string; name: string }

export type Draft = {
  channel_id: string
  name: string
  language: string
  category: string
  header_format: 'TEXT' | FileFormat
  /** The text of a header of text. */
  header: string
  /** The example of a header that is a file. */
  file: DraftFile | null
  body: string
  footer: string
  buttons: DraftButton[]
  /** Keyed by the names of the variables. */
  examples: Record<string, string>
}

export const NEW_DRAFT: Draft = {
  channel_id: '',
  name: '',
  language: 'en_US',
  category: 'UTILITY',
  header_format: 'TEXT',
  header: '',
  file: null,
  body: '',
  footer: '',
  buttons: [],
  examples: {},
}

/**
 * The draft of a template that exists; undefined for one with parts that the form does not have, such as cards and
 * one-time passwords. The example of a file has to be chosen again.
 */
export function draftOf({ channel_id, name, language, category, components }: Template): Draft | undefined {
  const draft = { ...NEW_DRAFT, channel_id, name, language, category, buttons: [] as DraftButton[] }
  for (const { type, format = 'TEXT', text, buttons = [] } of components) {
    if (type === 'HEADER' && format === 'TEXT') draft.header = text ?? ''
    else if (type === 'HEADER' && isFile(format)) draft.header_format = format
    else if (type === 'BODY' && text !== undefined) draft.body = text
    else if (type === 'FOOTER' && text !== undefined) draft.footer = text
    else if (type === 'BUTTONS' && buttons.every(isPlain)) {
      draft.buttons = buttons.map(({ type, text = '', url = '' }) => ({ type: type as DraftButton['type'], text, url }))
    } else return undefined
  }
  return draft
}

function isFile(format: string): format is FileFormat {
  return format === 'IMAGE' || format === 'VIDEO' || format === 'DOCUMENT'
}

function isPlain({ type }: TemplateButton) {
  return type === 'QUICK_REPLY' || type === 'URL'
}

export function componentsOf({ header_format, header, body, footer, buttons }: Draft): TemplateComponent[] {
  return [
    ...(isFile(header_format)
      ? [{ type: 'HEADER', format: header_format }]
      : header.trim()
        ? [{ type: 'HEADER', format: 'TEXT', text: header.trim() }]
        : []),
    { type: 'BODY', text: body.trim() },
    ...(footer.trim() ? [{ type: 'FOOTER', text: footer.trim() }] : []),
    ...(buttons.length > 0
      ? [
          {
            type: 'BUTTONS',
            buttons: buttons.map(({ type, text, url }) => ({
              type,
              text: text.trim(),
              ...(type === 'URL' && { url: url.trim() }),
            })),
          },
        ]
      : []),
  ]
}

const VARIABLE = /\{\{\s*(\w{1,64})\s*\}\}/g

/** The variables of the draft's texts, by the names that examples have. */
export function variablesOf({ header_format, header, body, buttons }: Draft): string[] {
  const in_body = namesIn(body)
  const in_header = namesIn(header_format === 'TEXT' ? header : '').map((name) =>
    /^\d+$/.test(name) && in_body.includes(name) ? `header_${name}` : name,
  )
  const in_buttons = buttons.flatMap(({ type, url }, at) =>
    type === 'URL' && namesIn(url).length > 0 ? [`button_${at}`] : [],
  )
  return [...new Set([...in_header, ...in_body, ...in_buttons])]
}

function namesIn(text: string): string[] {
  return [...text.matchAll(VARIABLE)].map(([, name = '']) => name)
}

/** The body of a creation. */
export function fieldsOf(draft: Draft) {
  const { channel_id, name, language, category } = draft
  return { channel_id, name: name.trim(), language: language.trim(), category, ...contentOf(draft) }
}

/** The body of an edit. The category of an approved template is fixed, so it is sent only where it differs. */
export function changesOf(draft: Draft, { category }: Template) {
  return { ...contentOf(draft), ...(draft.category !== category && { category: draft.category }) }
}

function contentOf(draft: Draft) {
  const known = variablesOf(draft).filter((name) => draft.examples[name]?.trim())
  const examples = Object.fromEntries(known.map((name) => [name, draft.examples[name]!.trim()]))
  const { header_format, file } = draft
  const of_file = isFile(header_format) && file && { [`header_${header_format.toLowerCase()}`]: file.media_id }
  return { components: componentsOf(draft), examples: { ...examples, ...of_file } }
}

/** True when the field that a fault is about was changed since. */
export function isChanged(field: string, before: Draft, after: Draft): boolean {
  const [, example] = /^example (.+)$/.exec(field) ?? []
  if (example !== undefined) return before.examples[example] !== after.examples[example]
  return before[field as keyof Draft] !== after[field as keyof Draft]
}

/** The violations of a refusal by the field of the form that each is about. */
export function faultsOf(
  violations: readonly { path: string; message: string }[],
  components: readonly TemplateComponent[],
): Record<string, string> {
  const faults: Record<string, string> = {}
  for (const { path, message } of violations) {
    const [first = '', second = ''] = path.split('.')
    const component = second === '' ? undefined : components[Number(second)]
    const field = first === 'components' ? (component?.type ?? 'BODY').toLowerCase() : first
    const example = path.slice('examples.'.length)
    const is_file = /^header_(?:image|video|document)$/.test(example)
    const name = first !== 'examples' ? field : is_file ? 'file' : `example ${example}`
    faults[name] ??= `It ${message}.`
  }
  return faults
}
