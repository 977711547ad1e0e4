/** The recipients of a bulk send, checked in one pass, because there are thousands and nearly all are valid. */
import * as v from 'valibot'
import { dictionary, E164, hasAtMost, phone } from '../../../actors/mod.ts'
import type { SliceRecipient } from '../../../storage/mod.ts'
import { type BoundedConfig, bounded } from '../../server/parse/linear_schemas.ts'

export const MAX_RECIPIENTS = 5000
/** More variables than any template of WhatsApp has. */
const MAX_VARIABLES = 200
/** The error code of a failed recipient, not of an answer. */
const VARIABLE_INVALID = 'TEMPLATE_VARIABLE_INVALID'
const MAX_VALUE_LENGTH = 4096

const recipient = v.strictObject({
  phone,
  variables: v.optional(
    v.pipe(
      dictionary(v.unknown()),
      v.description(`Texts of 1 to ${MAX_VALUE_LENGTH} characters; an invalid one fails only its own recipient`),
    ),
  ),
})

/** True for a recipient that is certainly valid. The schema checks the others. */
function isPlain(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false
  const { phone, variables } = input as Record<string, unknown>
  if (typeof phone !== 'string' || !E164.test(phone)) return false
  for (const key in input) if (key !== 'phone' && key !== 'variables') return false
  if (variables === undefined) return true
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables)) return false
  for (const key in variables) {
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') return false
    if (valueProblem((variables as Record<string, unknown>)[key]) !== undefined) return false
  }
  return true
}

/** The reason why a template cannot use this value; undefined when it can. */
function valueProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  if (value === '') return 'must not be empty'
  return hasAtMost(value, MAX_VALUE_LENGTH) ? undefined : `must have at most ${MAX_VALUE_LENGTH} characters`
}

/** Maximum invalid variables named in a message, and maximum characters of each name. */
const NAMED = 10
const MAX_NAME_LENGTH = 100

/** Adds the errors of the variables to the recipient. They fail only this recipient, not the request. */
function withProblem({ phone, variables = {} }: v.InferOutput<typeof recipient>): SliceRecipient {
  const good: Record<string, string> = {}
  const problems: string[] = []
  for (const [name, value] of Object.entries(variables)) {
    const problem = valueProblem(value)
    if (problem === undefined) good[name] = value as string
    else problems.push(`variables.${name.slice(0, MAX_NAME_LENGTH).toWellFormed()} ${problem}`)
  }
  if (problems.length === 0) return { phone, variables: good }
  const rest = problems.length > NAMED ? `; and ${problems.length - NAMED} more` : ''
  const message = `${problems.slice(0, NAMED).join('; ')}${rest}.`
  return { phone, variables: good, error: { code: VARIABLE_INVALID, message } }
}

function hasTooMany(input: unknown): boolean {
  const { variables } = (input ?? {}) as { variables?: unknown }
  return typeof variables === 'object' && variables !== null && Object.keys(variables).length > MAX_VARIABLES
}

const tooMany = v.maxEntries(MAX_VARIABLES, `must hold at most ${MAX_VARIABLES} variables`)

const list = v.array(bounded(v.pipe(recipient, v.transform(withProblem))))

/**
 * Does the same as valibot's own list at a small part of the cost, because it runs on the thread that serves all
 * requests. A list that is too long, or that has too many variables, is reported with that error alone: it could have
 * millions of others.
 */
const each = {
  is_bounded: true,
  ...list,
  '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
    const input = dataset.value
    if (!Array.isArray(input)) return list['~run'](dataset, config)
    const { most = Number.POSITIVE_INFINITY } = config as Partial<BoundedConfig>
    const found: v.BaseIssue<unknown>[] = []
    let output: unknown[] = input
    for (const [key, value] of input.length > MAX_RECIPIENTS ? [] : input.entries()) {
      const is_large = hasTooMany(value)
      if (!is_large && isPlain(value)) continue
      const at: v.ArrayPathItem = { type: 'array', origin: 'value', input, key, value }
      const checked = is_large ? large(value, config) : list.item['~run']({ value }, config)
      for (const issue of checked.issues ?? []) {
        const path = [at, ...(issue.path ?? [])] as [v.IssuePathItem, ...v.IssuePathItem[]]
        found.push(Object.assign(issue, { path }))
      }
      // The answer shows no more violations than this.
      if (found.length >= most) break
      if (checked.issues) continue
      // Copies the list before changing it, because the body must stay as received.
      if (output === input) output = [...input]
      output[key] = checked.value
    }
    const issues = found.length > 0 ? { issues: found } : {}
    return Object.assign(dataset, { typed: true, value: output }, issues) as unknown as ReturnType<
      (typeof list)['~run']
    >
  },
} as typeof list

function large(input: unknown, config: v.Config<v.BaseIssue<unknown>>): v.UnknownDataset {
  const { variables: value } = input as { variables: object }
  const dataset = { typed: true as const, value } as unknown as v.UnknownDataset
  const path: [v.ObjectPathItem] = [
    { type: 'object', origin: 'value', input: input as Record<string, unknown>, key: 'variables', value },
  ]
  v._addIssue(tooMany, 'entries', dataset as never, config, { path })
  return dataset
}

export const recipients = v.pipe(
  each,
  v.minLength(1, 'must name at least one recipient'),
  v.maxLength(MAX_RECIPIENTS, `must name at most ${MAX_RECIPIENTS} recipients`),
)
