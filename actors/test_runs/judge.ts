/** The comparison of a turn with what is expected of it. */
import { composed, type TestExpectation, type TestedStep, type TestFailure } from '../../storage/mod.ts'
import type { Languages } from '../assistants/mod.ts'

/** Characters of what was found, and of what was expected, in a failure. */
const MAX_FOUND = 300

type Judged = {
  expect: TestExpectation
  turn: TestedStep
  /** From 1. */
  step: number
  /** The names under which a model calls a tool of this name. */
  namesOf(tool: string): readonly string[]
}

/** Everything that is not as expected, in the order of the expectation. */
export async function judge({ expect, turn, step, namesOf }: Judged, languages: Languages): Promise<TestFailure[]> {
  const failures: TestFailure[] = []
  const fail = (kind: TestFailure['kind'], expected: string, found: string) =>
    failures.push({ step, kind, expected: cut(expected), found: cut(found) })
  const { outcome, tools = [], no_tools = [], includes = [], excludes = [], language } = expect
  const called = new Set(turn.tool_calls.map(({ name }) => name))
  const isCalled = (tool: string) => namesOf(tool).some((name) => called.has(name))
  const calls = called.size > 0 ? [...called].join(', ') : 'no call'
  const answer = turn.answer ?? ''
  const said = plain(answer)
  const has = (fact: string) => said.includes(plain(fact))

  if (outcome !== undefined && outcome !== turn.outcome) fail('outcome', outcome, outcomeOf(turn))
  for (const tool of tools) if (!isCalled(tool)) fail('tools', tool, calls)
  for (const tool of no_tools) if (isCalled(tool)) fail('no_tools', `no call of ${tool}`, calls)
  for (const fact of includes) {
    const alternatives = [fact].flat()
    if (!alternatives.some(has)) fail('includes', alternatives.map(quoted).join(' or '), answer)
  }
  for (const fact of excludes) if (has(fact)) fail('excludes', `not ${quoted(fact)}`, answer)
  if (language !== undefined) {
    const spoken = await languages.tell(answer)
    if (spoken?.language !== language) fail('language', language, spoken?.language ?? `too short or unclear: ${answer}`)
  }
  return failures
}

/** The outcome of a turn in words. */
export function outcomeOf({ outcome, reason }: Pick<TestedStep, 'outcome' | 'reason'>): string {
  return reason === null ? outcome : `${outcome} (${reason})`
}

/** A text as facts are compared: case, forms of one letter and the kind of white space do not count. */
export function plain(text: string): string {
  return composed(composed(text).toUpperCase().toLowerCase()).replace(/\s+/g, ' ').trim()
}

const quoted = (text: string) => `“${text}”`

function cut(text: string): string {
  return text.length > MAX_FOUND ? `${text.slice(0, MAX_FOUND).toWellFormed()}…` : text
}
