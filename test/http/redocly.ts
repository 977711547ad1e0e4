/** The linter Redocly, with the strict form of its recommended rules. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import type { ApiName } from '../../http/openapi/apis.ts'
import { described } from '../support/described.ts'

/** These compile a schema for each example, which takes two thirds of the time of all rules. */
const RULES_OF_EXAMPLES = [
  'no-invalid-media-type-examples',
  'no-invalid-schema-examples',
  'no-invalid-parameter-examples',
]

export const WITHOUT_EXAMPLES = Object.fromEntries(RULES_OF_EXAMPLES.map((rule) => [rule, 'off'] as const))

/** Returns what the linter finds in a description, as `rule place: message`. */
export async function redocly(name: ApiName, source: string, rules: Record<string, 'off'> = {}): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], rules })
  const problems = await lintFromString({ source, absoluteRef: `/${name}.json`, config })
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
}

/** Returns the description of the operators' API without the name of one operation. */
export function withMistake(): string {
  return JSON.stringify(described('admin')).replace('"operationId":"get_cluster",', '')
}
