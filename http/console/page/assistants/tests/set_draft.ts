/**
 * A test set while it is filled in. Lists are texts: one entry in a line, alternatives of an entry between bars. No DOM.
 */

import type { Expectation, Outcome, TestCase, TestSet } from '../../records/test_set.ts'

type TestStep = TestCase['steps'][number]

/** Fields of a step as texts. */
type StepTexts = {
  user: string
  outcome: Outcome | ''
  includes: string
  excludes: string
  tools: string
  no_tools: string
  language: string
}

/** `key` tells rows apart while they are edited. `stored`: the step as it was read. */
export type StepDraft = StepTexts & { key: string; stored?: TestStep }

/** `fixtures` is JSON. */
export type CaseDraft = { key: string; name: string; chat_user: string; steps: StepDraft[]; fixtures: string }

export type SetDraft = { name: string; runs: string; pass_rate: string; cases: CaseDraft[]; stored?: TestSet }

const NO_STEP: StepTexts = { user: '', outcome: '', includes: '', excludes: '', tools: '', no_tools: '', language: '' }

let rows = 0
const key = () => String(++rows)

export const newStep = (): StepDraft => ({ ...NO_STEP, key: key() })
export const newCase = (): CaseDraft => ({ key: key(), name: '', chat_user: '', steps: [newStep()], fixtures: '' })
export const newSet = (): SetDraft => ({ name: '', runs: '1', pass_rate: '100', cases: [newCase()] })

export function draftOf(stored: TestSet): SetDraft {
  const { name, runs, pass_rate, cases } = stored
  return { name, runs: String(runs), pass_rate: percentOf(pass_rate), cases: cases.map(caseOf), stored }
}

function percentOf(pass_rate: number) {
  return String(Math.round(pass_rate * 10_000) / 100)
}

function caseOf({ name, chat_user = '', steps, fixtures }: TestCase): CaseDraft {
  return {
    key: key(),
    name,
    chat_user,
    steps: steps.map((stored) => ({ ...textsOf(stored), key: key(), stored })),
    fixtures: fixtures && fixtures.length > 0 ? JSON.stringify(fixtures, null, 2) : '',
  }
}

function textsOf({ user, expect = {} }: TestStep): StepTexts {
  const { outcome = '', includes = [], excludes = [], tools = [], no_tools = [], language = '' } = expect
  return {
    // A blank line stands between the messages of a burst.
    user: typeof user === 'string' ? user : user.join('\n\n'),
    outcome,
    includes: includes.map((one) => (typeof one === 'string' ? one : one.join(' | '))).join('\n'),
    excludes: excludes.join('\n'),
    tools: tools.join(', '),
    no_tools: no_tools.join(', '),
    language,
  }
}

/**
 * The draft as a body. A field whose text was not changed stays as it is stored: a text of several lines, or with a bar,
 * would be read as another one.
 *
 * @throws SyntaxError for results of tools that are no JSON; its message names the case
 */
export function bodyOf({ name, runs, pass_rate, cases, stored }: SetDraft) {
  return {
    name: name.trim(),
    runs: Number(runs),
    pass_rate:
      stored && pass_rate === percentOf(stored.pass_rate)
        ? stored.pass_rate
        : Number(pass_rate.replace(',', '.')) / 100,
    cases: cases.map(caseBody),
  }
}

function caseBody({ name, chat_user, steps, fixtures }: CaseDraft, at: number): TestCase {
  return {
    name: name.trim(),
    ...(chat_user && { chat_user }),
    steps: steps.map(stepBody),
    ...(fixtures.trim() && { fixtures: fixturesIn(fixtures, name.trim() || `case ${at + 1}`) }),
  }
}

function stepBody({ stored, ...step }: StepDraft): TestStep {
  const before: Record<string, unknown> = stored ? textsOf(stored) : {}
  const now: Record<string, unknown> = step
  const unchanged = Object.entries(stored?.expect ?? {}).filter(([field]) => before[field] === now[field])
  const expect: Expectation = { ...expectationOf(step), ...Object.fromEntries(unchanged) }
  return {
    user: stored && before.user === step.user ? stored.user : saidIn(step.user),
    ...(Object.keys(expect).length > 0 && { expect }),
  }
}

function saidIn(text: string): string | string[] {
  const burst = text
    .trim()
    .split('\n\n')
    .map((one) => one.trim())
    .filter(Boolean)
  return burst.length > 1 ? burst : text.trim()
}

function expectationOf({ outcome, includes, excludes, tools, no_tools, language }: StepTexts): Expectation {
  const wanted = linesIn(includes).map((line) => {
    const alternatives = line
      .split('|')
      .map((one) => one.trim())
      .filter(Boolean)
    return alternatives.length > 1 ? alternatives : line
  })
  return {
    ...(outcome && { outcome }),
    ...(wanted.length > 0 && { includes: wanted }),
    ...(excludes.trim() && { excludes: linesIn(excludes) }),
    ...(tools.trim() && { tools: namesIn(tools) }),
    ...(no_tools.trim() && { no_tools: namesIn(no_tools) }),
    ...(language && { language }),
  }
}

function linesIn(text: string) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}

function namesIn(text: string) {
  return text
    .split(/[,\n]/)
    .map((name) => name.trim())
    .filter(Boolean)
}

function fixturesIn(text: string, name: string) {
  try {
    const list = JSON.parse(text)
    if (Array.isArray(list)) return list
  } catch (error) {
    throw new SyntaxError(`The results of tools of “${name}” cannot be read: ${(error as Error).message}`)
  }
  throw new SyntaxError(`The results of tools of “${name}” must be a list.`)
}
