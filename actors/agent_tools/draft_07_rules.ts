/**
 * The rules of JSON Schema for a schema of draft 7, without the one that compares every two values of an `enum`: the values
 * of a schema of permitted length would take a quarter of a second. A value that is listed twice does no harm, and draft
 * 2020-12 has no such rule.
 */
import rules from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' }

export function draft07Rules() {
  const { enum: _, ...properties } = rules.properties
  return { ...rules, properties: { ...properties, enum: { type: 'array', items: true } } }
}
