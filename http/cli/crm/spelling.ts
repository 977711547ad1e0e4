/** Syntax of stages and fields on the command line: a name, a colon, and properties separated by semicolons. */
import { InvalidArgumentError } from 'commander'
import { parseExactJson } from '../options/exact_json.ts'
import { parseList } from '../options/list.ts'
import type { Json } from '../records/resource.ts'

/** JSON when the text is valid JSON, such as 5, true, null or ["a"], else the text itself; also for a number that would be rounded. */
function parseValue(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

/** `key=value` as an object. */
export function parsePair(text: string): Json {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Use key=value.')
  return { [text.slice(0, at).trim()]: parseValue(text.slice(at + 1)) }
}

const RULES = ['require_fields', 'assign_to', 'add_tag_ids', 'close_with']
const SET = 'set_fields.'

/** `Won`, or `Won:close_with=won;require_fields=amount,category;set_fields.priority=high`. */
export function parseStage(text: string): Json {
  const colon = text.search(/:(require_fields|assign_to|add_tag_ids|close_with|set_fields\.[^=;]+)=/)
  if (colon < 0) {
    const [, rule] = /:([\w.]+)=/.exec(text) ?? []
    if (!rule) return { name: text }
    throw new InvalidArgumentError(`"${rule}" is no rule: use ${RULES.join(', ')} or ${SET}<field>.`)
  }
  const set_fields: Json = {}
  const rules: Json = {}
  for (const part of parts(text.slice(colon + 1))) {
    const [rule = '', value = ''] = [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]
    if (rule.startsWith(SET))
      rules.set_fields = Object.assign(set_fields, { [rule.slice(SET.length)]: parseValue(value) })
    else if (rule === 'close_with') rules.close_with = value
    else if (RULES.includes(rule)) rules[rule] = parseList(value)
    else throw new InvalidArgumentError(`"${part}" is no rule: use ${RULES.join(', ')} or ${SET}<field>.`)
  }
  return { name: text.slice(0, colon), rules }
}

/** `total:number`, or `total:number;required;target=ticket.amount`. */
export function parseField(text: string): Json {
  const [key, type, ...more] = [text.slice(0, text.indexOf(':')), ...parts(text.slice(text.indexOf(':') + 1))]
  const field: Json = { key, type }
  for (const part of more) {
    if (part === 'required') field.required = true
    else if (part.startsWith('target=')) field.target = part.slice('target='.length)
    else throw new InvalidArgumentError(`"${part}" is neither required nor target=ticket.<field>.`)
  }
  if (text.includes(':') && key && type) return field
  throw new InvalidArgumentError('Use key:type, such as total:number;required;target=ticket.amount.')
}

function parts(text: string): string[] {
  const list = text.split(';').map((part) => part.trim())
  return list.filter(Boolean)
}

/** Replaces the word that clears a value. Commander itself turns null into an empty text. */
export function cleared<Value>(body: Json, word: string, value: Value): Json {
  return Object.fromEntries(Object.entries(body).map(([field, said]) => [field, said === word ? value : said]))
}

/** The `rules` in the syntax of `--stage`. */
export function spellRules(rules: Json): string {
  const said = Object.entries(rules).flatMap(([rule, value]) => {
    if (rule !== 'set_fields') return [`${rule}=${[value].flat().join(',')}`]
    return Object.entries(value as Json).map(([field, to]) => `${SET}${field}=${spellValue(to)}`)
  })
  return said.join(';')
}

function spellValue(value: unknown): string {
  return typeof value === 'string' && typeof parseValue(value) === 'string' ? value : JSON.stringify(value)
}
