/** Checks the arguments of a call against the tool's parameters. Runs in a thread: neither is bounded in time. */
import { Ajv } from 'ajv'
import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import { isDraft07 } from './parameters.ts'

export type ArgumentsQuestion = { parameters: Record<string, unknown>; values: Record<string, unknown> }

/** `path` within the arguments. */
export type ArgumentViolation = { path: string; message: string; code: string }

/** `unusable`: the schema itself cannot be applied; its text says why. */
export type ArgumentsVerdict = { violations: ArgumentViolation[] } | { unusable: string }

const MAX_VIOLATIONS = 100

export function checkArguments({ parameters, values }: ArgumentsQuestion): ArgumentsVerdict {
  const validator = new (isDraft07(parameters) ? Ajv : Ajv2020)(options)
  try {
    const validate = validator.compile(parameters)
    if (validate(values)) return { violations: [] }
    return { violations: (validate.errors ?? []).slice(0, MAX_VIOLATIONS).map(violationOf) }
  } catch (error) {
    return { unusable: (error as Error).message.slice(0, 500) }
  }
}

const options: Options = {
  strict: false,
  logger: false,
  allErrors: true,
  validateFormats: false,
  validateSchema: false,
  code: { regExp: linear as never },
}

/** A regular expression in linear time. Ajv tells patterns apart by their text. */
function linear(pattern: string): { test(text: string): boolean; toString(): string } {
  const compiled = RE2JS.compile(pattern)
  return { test: (text) => compiled.test(text), toString: () => pattern }
}

function violationOf({ instancePath, keyword, message, params }: ErrorObject): ArgumentViolation {
  const parts = instancePath.split('/').slice(1)
  if (keyword === 'required') parts.push(String(params.missingProperty))
  if (keyword === 'additionalProperties') parts.push(String(params.additionalProperty))
  const path = ['arguments', ...parts].join('.').slice(0, 200)
  if (keyword === 'required') return { path, message: 'is required', code: 'required' }
  if (keyword === 'additionalProperties') return { path, message: 'is not an argument of the tool', code: 'unknown' }
  const allowed = keyword === 'enum' ? `: ${JSON.stringify(params.allowedValues).slice(0, 200)}` : ''
  return { path, message: `${message ?? 'is not valid'}${allowed}`, code: keyword }
}
