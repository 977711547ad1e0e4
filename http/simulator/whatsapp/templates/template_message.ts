import { invalid, type Json, list, missing, object, text } from '../requests/check.ts'
import { GraphError } from '../requests/errors.ts'
import type { Template, TemplateComponent } from './template.ts'

const MEDIA_FORMATS = ['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']

/** Checks the `template` node of a message against the registered template. Throws GraphError. */
export function checkTemplateMessage(
  node: Json,
  find: (name: string, language: string) => Template | undefined,
): Template {
  const name = text(node, 'name', "template['name']", 512)
  const language = text(object(node, 'language', "template['language']"), 'code', "template['language']['code']", 20)
  const components = list(node, 'components', "template['components']", 0, 20)
  const template = find(name, language)
  if (!template || template.status === 'PENDING' || template.status === 'REJECTED')
    throw new GraphError(132001, { details: `template name (${name}) does not exist in ${language}` })
  if (template.status === 'PAUSED') throw new GraphError(132015)
  if (template.status === 'DISABLED') throw new GraphError(132016)
  const sent = new Map<string, Json>()
  for (const component of components) {
    const type = String(component.type ?? '').toLowerCase()
    if (!['header', 'body', 'button', 'carousel', 'limited_time_offer'].includes(type))
      throw invalid("template['components']['type'] must be one of {header, body, button, carousel}.")
    sent.set(type === 'button' ? `button ${component.index ?? 0}` : type, component)
  }
  for (const component of template.components) {
    if (component.type === 'BODY') checkText(template, component, sent.get('body'), 'body')
    if (component.type === 'HEADER') checkHeader(template, component, sent.get('header'))
    if (component.type === 'BUTTONS') checkButtons(component, sent)
  }
  if (sent.has('header') && !template.components.some((component) => component.type === 'HEADER'))
    throw wrongCount('header', countOf(sent.get('header')), 0)
  return template
}

/** The placeholders of a template text, in order, each once. */
function placeholders(source: string): string[] {
  return [...new Set([...source.matchAll(/\{\{\s*([\w]+)\s*\}\}/g)].map((match) => match[1] as string))]
}

function parametersOf(component: Json | undefined): Json[] {
  return component ? list(component, 'parameters', "template['components']['parameters']", 0, 100) : []
}

function countOf(component: Json | undefined): number {
  return parametersOf(component).length
}

function wrongCount(part: string, got: number, expected: number): GraphError {
  return new GraphError(132000, {
    details: `${part}: number of localizable_params (${got}) does not match the expected number of params (${expected})`,
  })
}

function checkText(template: Template, component: TemplateComponent, sent: Json | undefined, part: string): void {
  const expected = placeholders(component.text ?? '')
  const parameters = parametersOf(sent)
  if (parameters.length !== expected.length) throw wrongCount(part, parameters.length, expected.length)
  let length = (component.text ?? '').length
  for (const parameter of parameters) {
    if (!['text', 'currency', 'date_time'].includes(String(parameter.type)))
      throw new GraphError(132012, {
        details: `${part}: parameter of type ${String(parameter.type)} where text is expected`,
      })
    if (parameter.type === 'text') {
      const value = text(parameter, 'text', `${part} parameter text`, 32768)
      checkWhiteSpace(value, part)
      length += value.length
    }
    if (template.parameter_format === 'NAMED') {
      const named = parameter.parameter_name
      if (typeof named !== 'string' || named === '') throw missing('Parameter name')
      if (!expected.includes(named))
        throw new GraphError(132000, { details: `${part}: the template has no parameter named ${named}` })
    }
  }
  if (length > 1024 + 32 * expected.length)
    throw new GraphError(132005, { details: `${part}: the text is ${length} characters long with its parameters` })
}

/** Meta's rule for texts that replace placeholders. */
function checkWhiteSpace(value: string, part: string): void {
  if (!/[\t\n\v\f\r\u0085\u2028\u2029]| {5}/.test(value)) return
  const rule = 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces'
  throw new GraphError(132012, { details: `${part}: ${rule}` })
}

function checkHeader(template: Template, component: TemplateComponent, sent: Json | undefined): void {
  const format = component.format ?? 'TEXT'
  if (format === 'TEXT') {
    checkText(template, component, sent, 'header')
    return
  }
  if (!MEDIA_FORMATS.includes(format)) return
  const parameters = parametersOf(sent)
  if (parameters.length !== 1)
    throw new GraphError(132012, { details: `header: Format mismatch, expected ${format}, received UNKNOWN` })
  const [parameter] = parameters
  const kind = format.toLowerCase()
  if (parameter?.type !== kind)
    throw new GraphError(132012, {
      details: `header: Format mismatch, expected ${format}, received ${String(parameter?.type).toUpperCase()}`,
    })
  object(parameter, kind, `header['${kind}']`)
}

function checkButtons(component: TemplateComponent, sent: Map<string, Json>): void {
  const buttons = component.buttons ?? []
  buttons.forEach((button, index) => {
    const button_value = sent.get(`button ${index}`)
    if (button.type === 'URL' && placeholders(String(button.url)).length > 0 && countOf(button_value) !== 1)
      throw new GraphError(131008, { details: `buttons: Button at index ${index} of type Url requires a parameter` })
    // Without a component Meta opens the Flow with the token "unused".
    if (button.type === 'FLOW' && button_value && String(button_value.sub_type).toLowerCase() !== 'flow')
      throw new GraphError(132012, { details: `buttons: Button at index ${index} is a flow button` })
  })
  for (const key of sent.keys()) {
    const index = /^button (\d+)$/.exec(key)?.[1]
    if (index !== undefined && Number(index) >= buttons.length)
      throw new GraphError(132000, { details: `buttons: the template has no button at index ${index}` })
  }
}
