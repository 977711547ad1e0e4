/** Test sets and their runs in words. No DOM. */

import type { Expectation, TestResult, TestRunSummary } from '../../records/test_set.ts'
import { number } from '../../ui/format/format.ts'

export const LANGUAGES = ['en', 'es', 'pt', 'fr', 'de', 'it', 'nl', 'pl', 'tr', 'ru', 'ar', 'zh', 'ja']

const names = new Intl.DisplayNames(['en'], { type: 'language' })
export const languageName = (code: string) => names.of(code) ?? code

/** The state of a run: a class for its color, and a word. */
export function runState({ state, has_passed }: Pick<TestRunSummary, 'state' | 'has_passed'>) {
  if (state === 'queued') return { style: '', word: 'Waits' }
  if (state === 'running') return { style: 'sending', word: 'Runs' }
  if (state === 'canceled') return { style: 'cancelled', word: 'Cancelled' }
  if (state === 'failed') return { style: 'failed', word: 'Stopped' }
  return has_passed ? { style: 'completed', word: 'Passed' } : { style: 'failed', word: 'Not passed' }
}

/** `9 of 10 passed: 90%, between 60% and 98%`. */
export function rateText({ total, passed, failed, pass_rate, interval }: TestRunSummary) {
  const tried = passed + failed
  if (pass_rate === null) return `0 of ${number(total)} tried`
  const share = `${number(passed)} of ${number(tried)} passed: ${percentText(pass_rate)}`
  const between = interval && `, between ${percentText(interval.low)} and ${percentText(interval.high)}`
  const left = tried < total ? ` · ${number(total - tried)} to go` : ''
  return `${share}${between ?? ''}${left}`
}

/** `62%`, or `62.5%`. */
function percentText(share: number) {
  return `${number(Math.round(share * 1_000) / 10)}%`
}

export function expectationText(expect: Expectation | undefined) {
  const { outcome, includes = [], excludes = [], tools = [], no_tools = [], language } = expect ?? {}
  const parts = [
    outcome === 'answered' && 'is answered',
    outcome === 'handed_over' && 'is handed over',
    includes.length > 0 &&
      `has ${includes.map((one) => (typeof one === 'string' ? `“${one}”` : one.map((text) => `“${text}”`).join(' or '))).join(', ')}`,
    excludes.length > 0 && `does not have ${excludes.map((one) => `“${one}”`).join(', ')}`,
    tools.length > 0 && `calls ${tools.join(', ')}`,
    no_tools.length > 0 && `does not call ${no_tools.join(', ')}`,
    language && `is in ${languageName(language)}`,
  ].filter(Boolean)
  return parts.length === 0 ? 'Nothing is expected.' : `Expected: it ${parts.join('; ')}.`
}

const KINDS: Partial<Record<string, string>> = {
  turn: 'The turn',
  outcome: 'The outcome',
  tools: 'Tools called',
  no_tools: 'Tools not called',
  includes: 'The answer has',
  excludes: 'The answer does not have',
  language: 'The language',
}

export function failureText({ step, kind, expected, found }: TestResult['failures'][number]) {
  const where = step > 1 ? `Step ${step}. ` : ''
  return { what: `${where}${KINDS[kind] ?? kind}`, expected, found }
}
