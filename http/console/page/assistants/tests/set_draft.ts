/**
 * A test set while it is filled in. Lists are texts: one entry in a line, alternatives of an entry between bars. No DOM.
 */

import type { Expectation, Outcome, TestCase, TestSet } from '../../records/test_set.ts'

/** `key` tells rows apart while they are edited. */
export type StepDraft = {
  key: string
  user: string
  outcome: Outcome | ''
  includes: string
  excludes: string
  tools: string
  no_tools: string
  language: string
}

/** `fixtures` is JSON. */
export type CaseDraft = { key: string; name: string; chat_user: string; steps: StepDraft[]; fixtures: string }

export type SetDraft = { name: string; runs: string; pass_rate: string; cases: CaseDraft[] }

const NO_STEP = { user: '', outcome: '', includes: '', excludes: '', tools: '', no_tools: '', language: '' } as const

let rows = 0
const key = () => String(++rows)

export const newStep = (): StepDraft => ({ ...NO_STEP, key: key() })
export const newCase = (): CaseDraft => ({ key: key(), name: '', chat_user: '', steps: [newStep()], fixtures: '' })
export const newSet = (): SetDraft => ({ name: '', runs: '1', pass_rate: '100', cases: [newCase()] })

export function draftOf({ name, runs, pass_rate, cases }: TestSet): SetDraft {
  return { name, runs: String(runs), pass_rate: String(Math.round(pass_rate * 10_000) / 100), cases: cases.map(caseOf) }
}

function caseOf({ name, chat_user = '', steps, fixtures }: TestCase): CaseDraft {
  return {
    key: key(),
    name,
    chat_user,
    steps: steps.map(({ user, expect = {} }) => ({
      key: key(),
      // A blank line stands between the messages of a burst.
      user: typeof user === 'string' ? user : user.join('\n\n'),
      outcome: expect.outcome ?? '',
      includes: (expect.includes ?? []).map((one) => (typeof one === 'string' ? one : one.join(' | '))).join('\n'),
      excludes: (expect.excludes ?? []).join('\n'),
      tools: (expect.tools ?? []).join(', '),
      no_tools: (expect.no_tools ?? []).join(', '),
      language: expect.language ?? '',
    })),
    fixtures: fixtures && fixtures.length > 0 ? JSON.stringify(fixtures, null, 2) : '',
  }
}

/** The draft as a body. @throws SyntaxError for results of tools that are no JSON; its message names the case */
export function bodyOf({ name, runs, pass_rate, cases }: SetDraft) {
  return {
    name: name.trim(),
    runs: Number(runs),
    pass_rate: Number(pass_rate.replace(',', '.')) / 100,
    cases: cases.map(caseBody),
  }
}

function caseBody({ name, chat_user, steps, fixtures }: CaseDraft, at: number): TestCase {
  return {
    name: name.trim(),
    ...(chat_user && { chat_user }),
    steps: steps.map((step) => {
      const expect = expectationOf(step)
      return { user: saidIn(step.user), ...(Object.keys(expect).length > 0 && { expect }) }
    }),
    ...(fixtures.trim() && { fixtures: fixturesIn(fixtures, name.trim() || `case ${at + 1}`) }),
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

function expectationOf({ outcome, includes, excludes, tools, no_tools, language }: StepDraft): Expectation {
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
