import type * as v from 'valibot'
import type { Violation } from '../errors/api_error.ts'
import { clip } from '../errors/clip.ts'
import { type BoundedConfig, bounded } from './linear_schemas.ts'

/** More violations than this in an answer would not help. */
const MAX_VIOLATIONS = 100

/** The `expected` of list checks whose violations are reported as duplicates. */
export const UNIQUE = 'unique'
/** The `expected` of checks across fields that miss one of them. */
export const PRESENT = 'present'

type Issue = v.BaseIssue<unknown>

export type Checked = { value: unknown } | { violations: Violation[] }

/**
 * Checks a value against a schema and names all violations at once, unknown properties first; at most `most`, 100 by
 * default. The time is linear in the value (`bounded.ts`).
 */
export function check(schema: v.GenericSchema, value: unknown, most = MAX_VIOLATIONS): Checked {
  const config: BoundedConfig = { message: say, most }
  const { value: output, issues } = bounded(schema)['~run']({ value }, config) as v.OutputDataset<unknown, Issue>
  if (issues === undefined) return { value: output }
  const unknown = issues.filter(isUnknownProperty)
  const others = issues.filter((issue) => !isUnknownProperty(issue))
  return { violations: [...unknown, ...others].slice(0, most).map(toViolation) }
}

function isUnknownProperty(issue: Issue): boolean {
  return issue.expected === 'never' && issue.type.startsWith('strict_')
}

function isMissing(issue: Issue): boolean {
  return issue.kind === 'schema' && (issue.path?.at(-1) as { origin?: string } | undefined)?.origin === 'key'
}

function toViolation(issue: Issue): Violation {
  const path = issue.path?.map(({ key }) => clip(String(key))).join('.') ?? ''
  return { path: clip(path), message: issue.message, code: codeOf(issue) }
}

const CODES: Record<string, string> = {
  picklist: 'invalid_value',
  literal: 'invalid_value',
  check: 'invalid_value',
  partial_check: 'invalid_value',
  raw_check: 'invalid_value',
  min_length: 'too_short',
  non_empty: 'too_short',
  max_length: 'too_long',
  max_entries: 'too_long',
  min_value: 'too_small',
  max_value: 'too_large',
  regex: 'invalid_format',
  url: 'invalid_format',
  email: 'invalid_format',
  iso_timestamp: 'invalid_format',
}

function codeOf(issue: Issue): string {
  if (isUnknownProperty(issue)) return 'unknown_property'
  if (isMissing(issue) || issue.expected === PRESENT) return 'required'
  if (issue.expected === UNIQUE) return 'duplicate'
  if (issue.type === 'variant') return issue.expected === 'Object' ? 'invalid_type' : variantCode(issue)
  return CODES[issue.type] ?? (issue.kind === 'schema' ? 'invalid_type' : 'invalid_value')
}

function variantCode({ input }: Issue): string {
  return input === undefined ? 'required' : 'invalid_value'
}

const NOUNS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  strict_object: 'an object',
  loose_object: 'an object',
  record: 'an object',
  integer: 'a whole number',
}

/** The text for issues whose schema has none of its own. It continues the path: "name must be a string". */
function say(issue: Issue): string {
  if (isUnknownProperty(issue)) return 'is not known here; remove it'
  if (isMissing(issue)) return 'is required'
  const requirement = String(issue.requirement)
  const unit = Array.isArray(issue.input) ? 'items' : 'characters'
  switch (issue.type) {
    case 'picklist':
    case 'literal':
    case 'variant':
      if (issue.expected === 'Object') return 'must be an object'
      if (issue.type === 'variant' && issue.input === undefined) return `is required: ${choices(issue)}`
      return `must be ${choices(issue)}`
    case 'non_empty':
      return 'must not be empty'
    case 'min_length':
      return requirement === '1' ? 'must not be empty' : `must have at least ${requirement} ${unit}`
    case 'max_length':
      return `must have at most ${requirement} ${unit}`
    case 'min_value':
      return `must be at least ${requirement}`
    case 'max_value':
      return `must be at most ${requirement}`
    case 'regex':
      return `must match ${requirement}`
    default:
      return NOUNS[issue.type] ? `must be ${NOUNS[issue.type]}` : 'is not valid'
  }
}

function choices(issue: Issue): string {
  const list = (issue.expected ?? '').replace(/^\(|\)$|"/g, '').split(/ ?\| ?/)
  return list.length > 1 ? `one of ${list.join(', ')}` : (list[0] ?? '')
}
