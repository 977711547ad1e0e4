import { invalid, type Json, list, oneOf, text } from '../requests/check.ts'
import { GraphError } from '../requests/errors.ts'
import { DEMO_TEMPLATES } from './demo_templates.ts'
import type { Template, TemplateComponent } from './template.ts'
import type { Uploads } from './uploads.ts'

const CATEGORIES = ['AUTHENTICATION', 'MARKETING', 'UTILITY']
const COMPONENTS = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER']

/** The message templates of all simulated accounts; an account starts with the demo templates. */
export class Templates {
  readonly #by_account = new Map<string, Map<string, Template>>()
  readonly #uploads: Uploads
  #sequence = 700000000000000

  constructor(uploads: Uploads) {
    this.#uploads = uploads
  }

  /** The template in this language, if the account has it. */
  find(business_account_id: string, name: string, language: string): Template | undefined {
    return this.#account(business_account_id).get(`${name}/${language}`)
  }

  byId(id: string): Template | undefined {
    for (const account of this.#by_account.values())
      for (const template of account.values()) if (template.id === id) return template
    return undefined
  }

  all(business_account_id: string): Template[] {
    return [...this.#account(business_account_id).values()]
  }

  /**
   * Registers a template. It is approved at once, or REJECTED when its name contains "rejected", or left PENDING when
   * it contains "pending". Throws GraphError.
   */
  create(business_account_id: string, body: Json): Template {
    const name = text(body, 'name', 'name', 512)
    if (!/^[a-z0-9_]+$/.test(name)) throw invalid('name may hold lowercase letters, digits and underscores only.')
    const language = text(body, 'language', 'language', 20)
    const category = oneOf(body, 'category', 'category', CATEGORIES)
    const components = checkedComponents(body, this.#uploads)
    if (this.find(business_account_id, name, language))
      throw new GraphError(100, {
        subcode: 2388024,
        details: `There is already ${language} content for this template.`,
      })
    const named = String(body.parameter_format ?? '').toUpperCase() === 'NAMED'
    return this.#add(business_account_id, {
      name,
      language,
      ...reviewed(name),
      category,
      parameter_format: named ? 'NAMED' : 'POSITIONAL',
      components,
    })
  }

  /** Changes a template and reviews it again. Throws GraphError. */
  change(template: Template, { components, category }: Json): void {
    if (template.status === 'PENDING') throw invalid('A template under review cannot be edited.')
    if (category !== undefined) {
      const chosen = oneOf({ category }, 'category', 'category', CATEGORIES)
      if (template.status === 'APPROVED' && chosen !== template.category)
        throw invalid('The category of an approved template cannot be changed.')
      template.category = chosen
    }
    if (components !== undefined) template.components = checkedComponents({ components }, this.#uploads)
    Object.assign(template, reviewed(template.name))
  }

  /** Removes every language of a name, or the template with an id; returns the number removed. */
  remove(business_account_id: string, name: string, id?: string): number {
    const account = this.#account(business_account_id)
    const doomed = [...account.values()].filter(
      (template) => template.name === name && (id === undefined || template.id === id),
    )
    for (const template of doomed) account.delete(`${template.name}/${template.language}`)
    return doomed.length
  }

  #account(business_account_id: string): Map<string, Template> {
    let account = this.#by_account.get(business_account_id)
    if (!account) {
      account = new Map()
      this.#by_account.set(business_account_id, account)
      for (const demo of DEMO_TEMPLATES) this.#add(business_account_id, structuredClone(demo))
    }
    return account
  }

  #add(business_account_id: string, fields: DemoTemplate): Template {
    const facts = { rejected_reason: 'NONE', quality_score: { score: 'UNKNOWN' } }
    const template = { id: String(++this.#sequence), business_account_id, ...facts, ...fields }
    this.#account(business_account_id).set(`${template.name}/${template.language}`, template)
    return template
  }
}

type DemoTemplate = Omit<Template, 'id' | 'business_account_id' | 'rejected_reason' | 'quality_score'>

/** The outcome of a review: the name decides. */
function reviewed(name: string): Pick<Template, 'status' | 'rejected_reason'> {
  if (name.includes('rejected')) return { status: 'REJECTED', rejected_reason: 'INVALID_FORMAT' }
  return { status: name.includes('pending') ? 'PENDING' : 'APPROVED', rejected_reason: 'NONE' }
}

/** Throws GraphError. */
function checkedComponents(body: Json, uploads: Uploads): TemplateComponent[] {
  const components = list(body, 'components', 'components', 1, 10) as TemplateComponent[]
  for (const component of components) {
    component.type = String(component.type).toUpperCase()
    oneOf(component, 'type', "components['type']", COMPONENTS)
    if (/\{\{/.test(String(component.text ?? '')) && component.example === undefined)
      throw invalid(`components of the type ${component.type} with variables need an example.`)
    checkFiles(component, uploads)
  }
  if (!components.some((component) => component.type === 'BODY')) throw invalid('components needs a BODY.')
  return components
}

/** Each header that is a file needs the handle of an upload of its type, in cards, too. Throws GraphError. */
function checkFiles({ type, format, example, cards }: TemplateComponent, uploads: Uploads): void {
  const types = type === 'HEADER' ? FILE_TYPES[String(format ?? 'TEXT').toUpperCase()] : undefined
  if (types) {
    const { header_handle } = (example ?? {}) as Json
    const [handle] = Array.isArray(header_handle) ? header_handle : []
    const file = uploads.find(handle)
    if (!file) throw invalid(`example.header_handle must be the handle of an uploaded file.`)
    if (!types.includes(file.type)) throw invalid(`A header of the format ${format} takes ${types.join(', ')}.`)
  }
  for (const card of Array.isArray(cards) ? (cards as Json[]) : []) {
    for (const component of Array.isArray(card?.components) ? (card.components as TemplateComponent[]) : []) {
      checkFiles({ ...component, type: String(component.type).toUpperCase() }, uploads)
    }
  }
}

const FILE_TYPES: Record<string, string[]> = {
  IMAGE: ['image/jpeg', 'image/jpg', 'image/png'],
  VIDEO: ['video/mp4'],
  DOCUMENT: ['application/pdf'],
}

/** A template as Graph shows it. */
export function templateRecord(template: Template): Json {
  const { business_account_id: _account, ...record } = template
  return record
}
