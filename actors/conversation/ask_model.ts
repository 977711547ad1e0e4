/** One question to the model within a turn, and the check of what it said. */
import { mayBegin } from '../../runtime/mod.ts'
import { type AssistantSettings, type Database, newDate, type TurnStep } from '../../storage/mod.ts'
import { type AnswerVerdict, checkAnswer, type Languages, type Question } from '../assistants/mod.ts'
import { decimalOf, type ModelAnswer, type ModelDescription, type ModelFailure, type Models } from '../models/mod.ts'
import { openingAt } from '../office_hours/mod.ts'
import type { Seen, Thought, TurnQuestion } from './assistant_at_work.ts'
import { reserve } from './budgets.ts'
import type { QuestionFiles } from './question_files.ts'

/** Tokens of an answer. */
const MAX_OUTPUT = 1500
/** Tokens kept free for the answer and the tools' results. */
const RESERVE = 6000
/** Tokens of instructions, tools and conversation. */
const MAX_CONTEXT = 32_000
const MIN_CONTEXT = 1_000
const TEXT_LIMIT = { most: 4000, unit: 'characters' } as const

export type ModelServices = {
  database: Database
  models: Models
  languages: Languages
  files: QuestionFiles
  /** Told of each question that was not asked because a budget was spent. */
  budgetRefused?: (budget: 'conversation' | 'day' | 'month') => void
}

/** `ticket_id`: null where there is no conversation whose budget counts. */
export type Asking = Pick<
  TurnQuestion,
  'project_id' | 'assistant_id' | 'exchange' | 'sources' | 'links' | 'is_repaired' | 'deadline_ms'
> & {
  ticket_id: string | null
  /** Gets the answer while the model writes it. */
  onText?: ((delta: string) => void) | undefined
}

/** Thoughts about a question that was read. */
export type ReadThought = Exclude<Thought, { kind: 'not_held' | 'outdated' }>

/** Tokens of a question to the model. */
export function contextFor(model: ModelDescription | undefined): number {
  return model ? Math.max(MIN_CONTEXT, Math.min(MAX_CONTEXT, model.context - RESERVE)) : 0
}

export async function askModel(
  { database, models, languages, files, budgetRefused }: ModelServices,
  asked: Asking,
  question: Question,
  { office_hours, budget, project_budget }: AssistantSettings,
  signal: AbortSignal,
): Promise<ReadThought> {
  const { project_id, assistant_id, ticket_id, onText } = asked
  const end = performance.now() + asked.deadline_ms
  const started = newDate()
  const { segment, version, assistant, blocks, language } = question
  const model = models.find(assistant.model)
  const is_outside_hours = !openingAt(office_hours, started).is_open
  const cost_currency = model?.price?.currency ?? null
  const seen: Seen = { segment, version, model: assistant.model, blocks, language, is_outside_hours, cost_currency }
  if (question.is_machine) return { kind: 'machine', seen, step: null }
  if (!assistant.is_active) return refused(seen, 'switched_off', 'The assistant is switched off.')
  if (!model) return refused(seen, 'unknown_model', `The operator offers no model ${assistant.model} any more.`)
  const call = () => ({ owner: project_id, signal, deadline_ms: Math.max(1, end - performance.now()) })
  const messages = await files.fill(project_id, question, call())
  const begun = performance.now()
  // The process may have stalled between the decision and the first byte, and another node may have the conversation.
  if (!mayBegin(signal)) {
    return {
      kind: 'failed',
      code: 'interrupted',
      message: 'The node lost the conversation.',
      can_retry: true,
      seen,
      step: null,
    }
  }
  const asking = {
    model: assistant.model,
    messages: [...messages, ...asked.exchange],
    tools: question.tools,
    max_output_tokens: Math.min(MAX_OUTPUT, model.max_output),
  }
  const reserved = await reserve(
    database,
    { project_id, assistant_id, ticket_id, budget, project_budget },
    model,
    asking,
    started,
  )
  if ('full' in reserved) {
    budgetRefused?.(reserved.full)
    return refused(seen, 'no_budget', `The budget of the ${reserved.full} is spent.`)
  }
  const outcome = await models.ask(asking, { ...call(), ...(onText && { onText }) })
  const { cost } = await reserved.settle(outcome)
  const step = modelStep(assistant.model, started, performance.now() - begun, outcome, model.price && cost)
  if (outcome.kind !== 'answer') return failed(seen, step, outcome)
  const { text, tool_calls } = outcome
  if (tool_calls.length > 0) return { kind: 'called', text, tool_calls, seen, step }
  if (outcome.finish === 'refused') return { ...refused(seen, 'refused', 'The model declined to answer.'), step }
  return { kind: 'said', text, verdict: await judge(text, question, asked, languages), seen, step }
}

function judge(
  text: string,
  question: Question,
  { sources, links, is_repaired }: Asking,
  languages: Languages,
): Promise<AnswerVerdict> {
  const { language, last_answer, channel } = question
  const allowed_links = [...question.links, ...links]
  const text_limit = channel?.text_limit ?? TEXT_LIMIT
  return checkAnswer(
    { text, sources, allowed_links, language, last_answer, is_repaired, text_limit, is_handed_over: false },
    languages,
  )
}

function refused(seen: Seen, code: string, message: string): Extract<Thought, { kind: 'failed' }> {
  return { kind: 'failed', code, message, can_retry: false, seen, step: null }
}

function failed(seen: Seen, step: TurnStep, { kind, code, message, retry_after_s }: ModelFailure): ReadThought {
  const can_retry = kind === 'retry'
  return { kind: 'failed', code, message, can_retry, ...(retry_after_s !== undefined && { retry_after_s }), seen, step }
}

function modelStep(
  name: string,
  started: Date,
  ms: number,
  outcome: ModelAnswer | ModelFailure,
  cost: bigint | null,
): TurnStep {
  return {
    ...{ kind: 'model', name, started_at: started.toISOString(), ms: Math.round(ms) },
    ...(cost !== null && { cost: decimalOf(cost) }),
    ...(outcome.kind === 'answer'
      ? { input_tokens: outcome.usage.input_tokens, output_tokens: outcome.usage.output_tokens }
      : { error: { code: outcome.code, message: outcome.message } }),
  }
}
