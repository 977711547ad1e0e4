import { invalid, type Json, text } from '../requests/check.ts'
import { GraphError } from '../requests/errors.ts'
import { type FlowValidationError, validateFlowJson } from './flow_json.ts'

export type Flow = {
  id: string
  business_account_id: string
  name: string
  status: 'DRAFT' | 'PUBLISHED' | 'DEPRECATED' | 'BLOCKED' | 'THROTTLED'
  categories: string[]
  endpoint_uri: string | undefined
  flow_json: string | undefined
  validation_errors: FlowValidationError[]
}

const CATEGORIES = [
  'SIGN_UP',
  'SIGN_IN',
  'APPOINTMENT_BOOKING',
  'LEAD_GENERATION',
  'SHOPPING',
  'CONTACT_US',
  'CUSTOMER_SUPPORT',
  'SURVEY',
  'OTHER',
]

/** The Flow behind the demo template `book_visit`. */
const DEMO_FLOW_ID = '900000000000001'
const DEMO_FLOW = {
  version: '7.0',
  screens: [
    {
      id: 'VISIT',
      title: 'Your visit',
      terminal: true,
      layout: {
        type: 'SingleColumnLayout',
        children: [
          { type: 'DatePicker', name: 'date', label: 'Day' },
          // biome-ignore lint/suspicious/noTemplateCurlyInString: Flow JSON writes its own references this way.
          { type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: { date: '${form.date}' } } },
        ],
      },
    },
  ],
}

/** The Flows of all simulated accounts, with the states Meta gives them. */
export class Flows {
  readonly #by_id = new Map<string, Flow>()
  #sequence = 900000000000001

  constructor() {
    this.#by_id.set(DEMO_FLOW_ID, {
      id: DEMO_FLOW_ID,
      business_account_id: '',
      name: 'Book a visit',
      status: 'PUBLISHED',
      categories: ['APPOINTMENT_BOOKING'],
      endpoint_uri: undefined,
      flow_json: JSON.stringify(DEMO_FLOW),
      validation_errors: [],
    })
  }

  byId(id: string): Flow | undefined {
    return this.#by_id.get(id)
  }

  /** The Flows of an account; the demo Flow belongs to all. */
  ofAccount(business_account_id: string): Flow[] {
    return [...this.#by_id.values()].filter(
      (flow) => flow.business_account_id === business_account_id || flow.id === DEMO_FLOW_ID,
    )
  }

  /** POST /{waba}/flows. Throws GraphError. */
  create(business_account_id: string, body: Json): Flow {
    const name = text(body, 'name', 'name', 200)
    const categories = typeof body.categories === 'string' ? parseList(body.categories) : body.categories
    if (
      !Array.isArray(categories) ||
      categories.length === 0 ||
      !categories.every((value) => CATEGORIES.includes(value))
    )
      throw invalid(`categories must be a list of {${CATEGORIES.join(', ')}}.`)
    if (this.ofAccount(business_account_id).some((flow) => flow.name === name))
      throw new GraphError(100, { details: 'A Flow of this name exists; names are unique within an account.' })
    const clone = body.clone_flow_id === undefined ? undefined : this.#by_id.get(String(body.clone_flow_id))
    const flow: Flow = {
      id: String(++this.#sequence),
      business_account_id,
      name,
      status: 'DRAFT',
      categories,
      endpoint_uri: typeof body.endpoint_uri === 'string' ? body.endpoint_uri : undefined,
      flow_json: clone?.flow_json,
      validation_errors: clone?.validation_errors ?? [],
    }
    this.#by_id.set(flow.id, flow)
    if (typeof body.flow_json === 'string') this.putJson(flow, body.flow_json)
    if ((body.publish === true || body.publish === 'true') && flow.validation_errors.length === 0) this.publish(flow)
    return flow
  }

  /** Stores the Flow JSON of a draft with its errors. Throws GraphError when it is published. */
  putJson(flow: Flow, source: string): void {
    if (flow.status !== 'DRAFT') throw published('updated')
    flow.flow_json = source
    flow.validation_errors = validateFlowJson(source)
  }

  update(flow: Flow, body: Json): void {
    if (flow.status !== 'DRAFT') throw published('updated')
    if (typeof body.name === 'string') flow.name = body.name
    if (Array.isArray(body.categories)) flow.categories = body.categories
    if (typeof body.endpoint_uri === 'string') flow.endpoint_uri = body.endpoint_uri
  }

  /** Irreversible. Throws GraphError when the JSON is missing or invalid. */
  publish(flow: Flow): void {
    if (flow.status !== 'DRAFT')
      throw new GraphError(100, { details: `The Flow is ${flow.status}; only a draft can be published.` })
    if (!flow.flow_json || flow.validation_errors.length > 0)
      throw new GraphError(100, { details: 'Publishing failed: resolve all validation errors of the Flow JSON first.' })
    flow.status = 'PUBLISHED'
  }

  deprecate(flow: Flow): void {
    if (flow.status !== 'PUBLISHED')
      throw new GraphError(100, { details: `The Flow is ${flow.status}; only a published one can be deprecated.` })
    flow.status = 'DEPRECATED'
  }

  remove(flow: Flow): void {
    if (flow.status !== 'DRAFT') throw published('deleted')
    this.#by_id.delete(flow.id)
  }
}

function published(what: string): GraphError {
  return new GraphError(100, { details: `Only a Flow in DRAFT state can be ${what}.` })
}

function parseList(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value.split(',')
  }
}

/** A Flow as Graph shows it; `base_url` is the root of the preview link. */
export function flowRecord(flow: Flow, base_url: string): Json {
  return {
    id: flow.id,
    name: flow.name,
    status: flow.status,
    categories: flow.categories,
    validation_errors: flow.validation_errors,
    json_version: jsonVersion(flow.flow_json),
    data_api_version: flow.endpoint_uri ? '3.0' : undefined,
    endpoint_uri: flow.endpoint_uri,
    preview: { preview_url: `${base_url}/wa/manage/flows/${flow.id}/preview/`, expires_at: '2099-01-01T00:00:00+0000' },
  }
}

function jsonVersion(source: string | undefined): string | undefined {
  try {
    return source === undefined ? undefined : (JSON.parse(source) as { version?: string }).version
  } catch {
    return undefined
  }
}
