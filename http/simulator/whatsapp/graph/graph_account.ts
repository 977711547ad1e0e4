import { type Answer, ok, type SimulatorRequest } from '../../answer.ts'
import type { WhatsAppNumber } from '../../options.ts'
import type { Account } from '../account.ts'
import { type Flow, flowRecord } from '../flows/flows.ts'
import { unknownObject } from '../numbers.ts'
import { behave } from '../requests/behave.ts'
import type { Json } from '../requests/check.ts'
import { GraphError } from '../requests/errors.ts'
import { formOrJson, parseJson } from '../requests/request_body.ts'
import type { Template } from '../templates/template.ts'
import { templateRecord } from '../templates/templates.ts'
import { baseUrl, page, pick } from './graph_list.ts'
import { numberRecord, overrideCallback } from './graph_number.ts'

/** The routes of a WhatsApp Business Account; `owned` are its numbers. Throws GraphError. */
export function accountRoute(
  account: Account,
  owned: WhatsAppNumber[],
  id: string,
  [edge, child]: [string, string],
  request: SimulatorRequest,
): Answer | Promise<Answer> {
  const { world, templates, flows } = account
  const { query } = request
  const operation = edge === 'message_templates' ? 'templates' : edge === 'flows' ? 'flows' : 'numbers'
  const type = request.method === 'POST' ? 'create' : 'list'
  const behaviour = world.faults.apply({ channel: 'whatsapp', operation, type })
  const respond = (run: () => Answer) => behave(behaviour, world.settings.latency_ms, run)
  switch (`${request.method} ${edge}`) {
    case 'GET ':
      return respond(() =>
        ok(pick({ id, name: 'Simulated account', currency: 'USD', timezone_id: '1' }, query.get('fields'))),
      )
    case 'GET phone_numbers':
      return respond(() => ok(page(owned.map(numberRecord), request)))
    case 'GET message_templates':
      return respond(() => {
        if (child) return ok(templateRecord(templateOf(account, id, child)))
        const matching = templates.all(id).filter((template) => fits(template, query))
        return ok(page(matching.map(templateRecord), request))
      })
    case 'POST message_templates':
      return respond(() => {
        const template = templates.create(id, parseJson(request.body))
        if (template.status !== 'PENDING') announceTemplate(account, template)
        return ok({ id: template.id, status: template.status, category: template.category })
      })
    case 'DELETE message_templates':
      return respond(() => {
        const removed = templates.remove(id, query.get('name') ?? '', query.get('hsm_id') ?? undefined)
        if (removed === 0) throw new GraphError(100, { details: "Message templates weren't found." })
        return ok({ success: true })
      })
    case 'GET flows':
      return respond(() =>
        ok(
          page(
            flows.ofAccount(id).map((flow) => flowSummary(flow, request)),
            request,
          ),
        ),
      )
    case 'POST flows':
      return respond(() => {
        const flow = flows.create(id, formOrJson(request))
        return ok({ id: flow.id, success: true, validation_errors: flow.validation_errors })
      })
    case 'GET subscribed_apps':
      return respond(() =>
        ok({ data: [{ whatsapp_business_api_data: { id: '1', name: 'Parley', link: baseUrl(request) } }] }),
      )
    case 'POST subscribed_apps':
      return overrideCallback(account, owned, request.body.length > 0 ? formOrJson(request) : undefined)
    case 'DELETE subscribed_apps':
      for (const { phone_number_id } of owned) account.numbers.put({ phone_number_id, webhook_url: null })
      return ok({ success: true })
  }
  if (edge) throw new GraphError(2500, { message: `Unknown path components: /${edge}` })
  throw unknownObject(id, request.method)
}

function fits(template: Template, query: URLSearchParams): boolean {
  const name = query.get('name')
  const same = (key: 'status' | 'language' | 'category') =>
    !query.get(key) || query.get(key)?.toLowerCase() === template[key].toLowerCase()
  return (!name || template.name.includes(name)) && same('status') && same('language') && same('category')
}

function templateOf(account: Account, business_account_id: string, id: string): Template {
  const template = account.templates.byId(id)
  if (template?.business_account_id !== business_account_id) throw unknownObject(id, 'GET')
  return template
}

/** Notifies the account's webhooks of the status of a template. */
export function announceTemplate(account: Account, template: Template): void {
  account.callbacks.notifyAccount(
    account.numbers.ofAccount(template.business_account_id),
    'message_template_status_update',
    {
      event: template.status,
      message_template_id: Number(template.id),
      message_template_name: template.name,
      message_template_language: template.language,
      reason: template.rejected_reason,
    },
  )
}

/** Rates a template and notifies the account's webhooks. */
export function rateTemplate(account: Account, template: Template, score: string): void {
  const previous_quality_score = template.quality_score.score
  template.quality_score = { score }
  const change = { previous_quality_score, new_quality_score: score }
  notifyOfTemplate(account, template, 'message_template_quality_update', change)
}

/** Moves a template to another category, or announces it, and notifies the account's webhooks. */
export function moveTemplate(account: Account, template: Template, category: string, is_announced: boolean): void {
  const field = 'template_category_update'
  if (is_announced) {
    template.correct_category = category
    const category_update_timestamp = Math.floor(Date.now() / 1000) + 86_400
    const change = { correct_category: category, new_category: template.category, category_update_timestamp }
    notifyOfTemplate(account, template, field, change)
    return
  }
  const previous_category = template.category
  template.previous_category = previous_category
  template.category = category
  delete template.correct_category
  notifyOfTemplate(account, template, field, { previous_category, new_category: category })
}

function notifyOfTemplate(account: Account, template: Template, field: string, change: Json): void {
  account.callbacks.notifyAccount(account.numbers.ofAccount(template.business_account_id), field, {
    message_template_id: Number(template.id),
    message_template_name: template.name,
    message_template_language: template.language.replace('_', '-'),
    ...change,
  })
}

/** GET, POST (edit) and DELETE of one template by id. */
export function templateRoute(account: Account, template: Template, request: SimulatorRequest): Answer {
  const { world } = account
  const behaviour = world.faults.apply({ channel: 'whatsapp', operation: 'templates' })
  return behave(behaviour, world.settings.latency_ms, () => {
    if (request.method === 'GET') return ok(pick(templateRecord(template), request.query.get('fields')))
    if (request.method !== 'POST') throw unknownObject(template.id, request.method)
    account.templates.change(template, parseJson(request.body))
    announceTemplate(account, template)
    return ok({ success: true })
  })
}

/** The routes of one Flow. Throws GraphError. */
export function flowRoute(account: Account, flow: Flow, edge: string, request: SimulatorRequest): Answer {
  const { world, flows } = account
  const type = edge || request.method.toLowerCase()
  const behaviour = world.faults.apply({ channel: 'whatsapp', operation: 'flows', type })
  return behave(behaviour, world.settings.latency_ms, () => {
    switch (`${request.method} ${edge}`) {
      case 'GET ': {
        const record = flowRecord(flow, baseUrl(request))
        const { id, name, status, categories, validation_errors } = record
        const fields = request.query.get('fields')
        return ok(fields ? pick(record, fields) : { id, name, status, categories, validation_errors })
      }
      case 'POST ':
        flows.update(flow, formOrJson(request))
        return ok({ success: true })
      case 'POST assets': {
        const { file } = formOrJson(request)
        if (typeof file !== 'string') throw new GraphError(100, { message: '(#100) The parameter file is required.' })
        flows.putJson(flow, file)
        return ok({ success: flow.validation_errors.length === 0, validation_errors: flow.validation_errors })
      }
      case 'GET assets':
        return ok(
          page(
            [{ name: 'flow.json', asset_type: 'FLOW_JSON', download_url: `${baseUrl(request)}/${flow.id}` }],
            request,
          ),
        )
      case 'POST publish':
      case 'POST deprecate': {
        const old_status = flow.status
        if (edge === 'publish') flows.publish(flow)
        else flows.deprecate(flow)
        announceFlow(account, flow, old_status)
        return ok({ success: true })
      }
      case 'DELETE ':
        flows.remove(flow)
        return ok({ success: true })
    }
    if (edge) throw new GraphError(2500, { message: `Unknown path components: /${edge}` })
    throw unknownObject(flow.id, request.method)
  })
}

function announceFlow(account: Account, flow: Flow, old_status: string): void {
  account.callbacks.notifyAccount(account.numbers.ofAccount(flow.business_account_id), 'flows', {
    event: 'FLOW_STATUS_CHANGE',
    message: `Flow ${flow.name} changed status from ${old_status} to ${flow.status}`,
    flow_id: flow.id,
    old_status,
    new_status: flow.status,
  })
}

function flowSummary(flow: Flow, request: SimulatorRequest): Json {
  const record = flowRecord(flow, baseUrl(request))
  if (request.query.get('fields')) return record
  const { id, name, status, categories, validation_errors } = record
  return { id, name, status, categories, validation_errors }
}
