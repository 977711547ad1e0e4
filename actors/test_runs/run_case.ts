/** One try of one case: its conversation with the assistant, which nobody reads and nothing outside hears of. */
import {
  type AssistantTestResult,
  type AssistantTurn,
  newDate,
  readOfferedTools,
  type TestCase,
  type TestedStep,
  type TestFailure,
} from '../../storage/mod.ts'
import { type GivenMessage, modelNames } from '../assistants/mod.ts'
import { type AssistantServices, runTurn } from '../conversation/mod.ts'
import { decimalOf, trillionthsOf } from '../models/mod.ts'
import { judge, outcomeOf } from './judge.ts'

/** Milliseconds of a turn: those of a turn in a conversation. */
const TURN_MS = 50_000
/** Characters of an answer, of arguments and of a result that are kept. */
const MAX_ANSWER = 4_000
const MAX_CALL = 1_000
/** The same of all turns of a try together. */
const MAX_KEPT = 16_384
/** Facts of a try that do not hold. A case may have thousands, each with a part of the answer. */
const MAX_FAILURES = 50

/** Reasons for which no other try would get an answer. */
const HOPELESS = new Set([
  ...['no_budget', 'no_assistant', 'unknown_model', 'withdrawn', 'unauthorized', 'quota_exhausted'],
])
/** Reasons for which this try has to be made again: this node gave it up. */
const GIVEN_UP = new Set(['aborted', 'interrupted'])

/**
 * `is_hopeless`: going on with the run makes no sense. `untried`: blocks whose held version was not in the prompt of a turn,
 * because they are no longer those of the assistant. Moments are in ISO 8601.
 */
export type CaseOutcome = Pick<
  AssistantTestResult,
  'case_name' | 'has_passed' | 'failures' | 'missing_fixtures' | 'steps' | 'input_tokens' | 'output_tokens'
> & {
  chat_user: string | null
  reason: string | null
  cost: string | null
  cost_currency: string | null
  started_at: string
  is_hopeless: boolean
  untried: string[]
}

export type CaseAsked = {
  project_id: string
  company_id: string
  assistant_id: string
  test_case: TestCase
  /** Versions that are tried, by their blocks. */
  held: ReadonlyMap<string, string>
  /** Waits for room on the node. */
  atOnce<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Null when this node gave it up. Rejects when the database cannot be read. */
export async function runCase(
  services: AssistantServices,
  { project_id, company_id, assistant_id, test_case, held, atOnce }: CaseAsked,
  signal: AbortSignal,
): Promise<CaseOutcome | null> {
  const { name: case_name, chat_user = null, steps, fixtures = [] } = test_case
  const started_at = newDate().toISOString()
  const namesOf = await toolNames(services, project_id, assistant_id)
  const messages: GivenMessage[] = []
  const kept = new Kept()
  const failures: TestFailure[] = []
  const untried = new Set<string>()
  let reason: string | null = null
  for (const [at, { user, expect = {} }] of steps.entries()) {
    const step = at + 1
    messages.push(...[user].flat().map((text): GivenMessage => ({ role: 'user', text })))
    const subject = { messages: [...messages], chat_user, company_id }
    const ran = await atOnce(() =>
      runTurn(
        services,
        {
          ...{ project_id, assistant_id, subject, origin: 'test', tools: { mode: 'fixtures', fixtures } },
          // An assistant is tested before it works.
          ...{ tried: { is_active: true, held }, deadline: performance.now() + TURN_MS },
        },
        signal,
      ),
    )
    if (ran.kind === 'missing') {
      reason = ran.what === 'subject' ? 'no_contact' : 'no_assistant'
      failures.push({ step, kind: 'turn', expected: 'a turn of the assistant', found: reason })
      break
    }
    const { turn } = ran
    if (GIVEN_UP.has(turn.reason ?? '')) return null
    const versions = new Set(turn.blocks.map(({ version_id }) => version_id))
    for (const [block_id, version_id] of held) if (!versions.has(version_id)) untried.add(block_id)
    const tested = kept.add(turn)
    if (turn.outcome === 'failed') {
      reason = turn.reason ?? null
      failures.push({ step, kind: 'turn', expected: 'an answer or a hand-over', found: outcomeOf(tested) })
      break
    }
    const whole = { ...tested, answer: turn.answer ?? null }
    failures.push(...(await judge({ expect, turn: whole, step, namesOf }, services.languages)))
    if (turn.outcome === 'handed_over' && step < steps.length) {
      failures.push({ step: step + 1, kind: 'turn', expected: 'a turn of the assistant', found: outcomeOf(tested) })
      break
    }
    messages.push({ role: 'assistant', text: turn.answer ?? '' })
  }
  return {
    ...{ case_name, chat_user },
    has_passed: failures.length === 0,
    ...{ reason, failures: failures.slice(0, MAX_FAILURES), ...kept.totals(), started_at },
    ...{ is_hopeless: HOPELESS.has(reason ?? ''), untried: [...untried] },
  }
}

/** The names under which a model calls a tool of a name: its own, and that in the question. */
async function toolNames({ database }: AssistantServices, project_id: string, assistant_id: string) {
  const names = (await readOfferedTools(database, project_id, assistant_id)).map(({ name }) => name)
  const called = modelNames(names)
  return (tool: string): readonly string[] => [tool, ...called.filter((_, at) => names[at] === tool)]
}

/** The turns of a try, as far as they are kept, and what they took. */
class Kept {
  readonly #steps: TestedStep[] = []
  readonly #missing_fixtures = new Set<string>()
  #left = MAX_KEPT
  #input_tokens = 0
  #output_tokens = 0
  #cost: bigint | null = null
  #currency: string | null = null

  add(turn: AssistantTurn): TestedStep {
    const { outcome, reason = null, answer = null, steps, cost = null, cost_currency = null } = turn
    this.#input_tokens += turn.input_tokens
    this.#output_tokens += turn.output_tokens
    if (cost !== null) {
      this.#cost = (this.#cost ?? 0n) + trillionthsOf(cost)
      this.#currency = cost_currency
    }
    const calls = steps.filter(({ kind }) => kind === 'tool')
    for (const { name, error } of calls) if (error?.code === 'no_fixture') this.#missing_fixtures.add(name)
    const kept: TestedStep = {
      outcome: outcome as TestedStep['outcome'],
      reason,
      answer: answer === null ? null : this.#cut(answer, MAX_ANSWER),
      tool_calls: calls.map(({ name, arguments: given = '', result = '', error }) => ({
        name,
        arguments: this.#cut(given, MAX_CALL),
        result: this.#cut(result, MAX_CALL),
        error: error?.code ?? null,
      })),
    }
    this.#steps.push(kept)
    return kept
  }

  totals() {
    return {
      ...{ steps: this.#steps, missing_fixtures: [...this.#missing_fixtures] },
      ...{ input_tokens: this.#input_tokens, output_tokens: this.#output_tokens },
      ...{ cost: this.#cost === null ? null : decimalOf(this.#cost), cost_currency: this.#currency },
    }
  }

  #cut(text: string, most: number): string {
    const room = Math.min(most, this.#left)
    this.#left -= Math.min(text.length, room)
    return text.length > room ? `${text.slice(0, room).toWellFormed()}…` : text
  }
}
