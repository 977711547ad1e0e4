/** Results that stand for those of tools. */
import { found, wrong } from './result.ts'
import type { ToolFixture, ToolResult } from './tool.ts'

/** The result of the first fixture that fits the call. `names`: those of its tool. */
export function fixtureFor(
  fixtures: readonly ToolFixture[],
  names: readonly string[],
  values: Record<string, unknown>,
): ToolResult | undefined {
  const fixture = fixtures.find(({ tool, arguments: given = {} }) => names.includes(tool) && isWithin(given, values))
  return fixture && found(fixture.result)
}

export function noFixture(): ToolResult {
  return wrong('no_fixture', 'This is a trial, in which the result of this call is not known.')
}

/** True when the value has all that is expected; its objects may have more. */
function isWithin(expected: unknown, value: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return expected === value
  if (typeof value !== 'object' || value === null || Array.isArray(expected) !== Array.isArray(value)) return false
  if (Array.isArray(expected) && expected.length !== (value as unknown[]).length) return false
  return Object.entries(expected).every(
    ([name, part]) => Object.hasOwn(value, name) && isWithin(part, (value as Record<string, unknown>)[name]),
  )
}
