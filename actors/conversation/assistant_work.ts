/** The slow work of turns: reads the conversation, asks the model, runs tools. Nothing here decides. */
import { mayBegin } from '../../runtime/mod.ts'
import { type Database, findHeldConversation, newDate, type TurnStep } from '../../storage/mod.ts'
import type { ToolClient } from '../agent_tools/mod.ts'
import {
  type AnswerVerdict,
  type CommandEnd,
  checkAnswer,
  handOverWords,
  type Languages,
  mayCall,
  type Question,
  readBoundPerson,
  readQuestion,
  runTool,
  type ToolCommand,
} from '../assistants/mod.ts'
import { decimalOf, type ModelAnswer, type ModelFailure, type Models } from '../models/mod.ts'
import { openingAt } from '../office_hours/mod.ts'
import type { AssistantAtWork, Seen, Thought, ToolsQuestion, ToolsRun, TurnQuestion } from './assistant_at_work.ts'
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
/** Characters of a tool's arguments and result in the record of a turn. */
const MAX_RECORDED = 4000

type Owned = Pick<TurnQuestion, 'project_id' | 'ticket_id' | 'assistant_id'>

/** Asks the project to carry out a command of a tool, once for each key. */
export type AskProject = (
  asked: Pick<ToolsQuestion, 'project_id' | 'ticket_id' | 'segment'> & { key: string; command: ToolCommand },
) => Promise<CommandEnd>

export type AssistantWorkOptions = {
  database: Database
  models: Models
  languages: Languages
  tools: ToolClient
  files: QuestionFiles
  askProject: AskProject
}

export class AssistantWork implements AssistantAtWork {
  readonly #options: AssistantWorkOptions

  constructor(options: AssistantWorkOptions) {
    this.#options = options
  }

  async think(asked: TurnQuestion, signal: AbortSignal): Promise<Thought> {
    const { database, models, files } = this.#options
    const { project_id, ticket_id, assistant_id } = asked
    const started = newDate()
    const held = await findHeldConversation(database, project_id, ticket_id)
    if (!held?.is_held) return { kind: 'not_held' }
    if (asked.version !== null && held.version !== asked.version) return { kind: 'outdated' }
    const model = models.find(held.model ?? '')
    const question = await this.#read(
      asked,
      model ? Math.max(MIN_CONTEXT, Math.min(MAX_CONTEXT, model.context - RESERVE)) : 0,
    )
    if (!question) return { kind: 'not_held' }
    const { segment, version, assistant, blocks, language } = question
    const is_outside_hours = !openingAt(held.office_hours, started).is_open
    const seen: Seen = { segment, version, model: assistant.model, blocks, language, is_outside_hours }
    if (question.is_machine) return { kind: 'machine', seen, step: null }
    if (!assistant.is_active) return refused(seen, 'switched_off', 'The assistant is switched off.')
    if (!model) return refused(seen, 'unknown_model', `The operator offers no model ${assistant.model} any more.`)
    const options = { owner: project_id, signal, deadline_ms: asked.deadline_ms }
    const messages = await files.fill(project_id, question, options)
    const begun = performance.now()
    // Between the decision and the first byte the process may have stalled, and another node may have the conversation.
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
    const spender = { project_id, assistant_id, ticket_id, budget: held.budget, project_budget: held.project_budget }
    const reserved = await reserve(database, spender, model, asking, started)
    if ('full' in reserved) return refused(seen, 'no_budget', `The budget of the ${reserved.full} is spent.`)
    const outcome = await models.ask(asking, options)
    const { cost } = await reserved.settle(outcome)
    const step = modelStep(assistant.model, started, performance.now() - begun, outcome, model.price ? cost : null)
    if (outcome.kind !== 'answer') return failed(seen, step, outcome)
    const { text, tool_calls } = outcome
    if (tool_calls.length > 0) return { kind: 'called', text, tool_calls, seen, step }
    if (outcome.finish === 'refused') return { ...refused(seen, 'refused', 'The model declined to answer.'), step }
    return { kind: 'said', text, verdict: await this.#judge(text, question, asked), seen, step }
  }

  async runTools(asked: ToolsQuestion, _signal: AbortSignal): Promise<ToolsRun> {
    const { database, tools, askProject } = this.#options
    const { project_id, ticket_id, assistant_id, turn_id, step, segment } = asked
    const deadline = performance.now() + asked.deadline_ms
    const run: ToolsRun = {
      ...{ results: [], steps: [], sources: [], links: [], documents: [] },
      ...{ hand_over: null, is_endless: false },
    }
    const person = await readBoundPerson(database, project_id, ticket_id)
    const held = await findHeldConversation(database, project_id, ticket_id)
    if (!person || !held) return run
    for (const [index, call] of asked.tool_calls.entries()) {
      const started = newDate()
      const begun = performance.now()
      const allowed = mayCall([...asked.steps, ...run.steps], call)
      if (!allowed.may) {
        if (allowed.code === 'too_many_steps') run.is_endless = true
        run.results.push(resultOf(call, allowed.message))
        continue
      }
      const ended = await runTool(call, {
        ...{ database, client: tools, company_id: held.company_id, project_id, assistant_id },
        ...{ person, deadline, first_source: asked.first_source + run.sources.length },
        askProject: (command) =>
          askProject({ project_id, ticket_id, segment, key: `${turn_id}:${step}:${index}`, command }),
      })
      run.results.push(resultOf(call, ended.result))
      run.sources.push(...(ended.sources ?? []))
      run.links.push(...ended.links)
      run.documents.push(...(ended.documents ?? []))
      if (ended.effect) run.hand_over = ended.effect
      run.steps.push({
        kind: 'tool',
        name: call.name.slice(0, 200),
        started_at: started.toISOString(),
        ms: Math.round(performance.now() - begun),
        ...(ended.error && { error: ended.error }),
        arguments: call.arguments.slice(0, MAX_RECORDED),
        result: ended.result.slice(0, MAX_RECORDED),
      })
    }
    return run
  }

  #read({ project_id, ticket_id, assistant_id }: Owned, up_to_context: number): Promise<Question | undefined> {
    const { database, models, languages } = this.#options
    const findModel = (name: string) => models.find(name)
    return readQuestion(database, { project_id, ticket_id, assistant_id, up_to_context, findModel, languages })
  }

  #judge(text: string, question: Question, { sources, links, is_repaired }: TurnQuestion): Promise<AnswerVerdict> {
    const { language, last_answer, channel } = question
    const allowed_links = [...question.links, ...links]
    const text_limit = channel?.text_limit ?? TEXT_LIMIT
    return checkAnswer(
      { text, sources, allowed_links, language, last_answer, is_repaired, text_limit, is_handed_over: false },
      this.#options.languages,
    )
  }

  handOverWords(
    { language, is_outside_hours }: Pick<Seen, 'language' | 'is_outside_hours'>,
    has_failed: boolean,
  ): string {
    return handOverWords(language, { is_outside_hours, has_failed })
  }
}

const resultOf = ({ id, name }: { id: string; name: string }, result: string) => ({
  ...{ tool_call_id: id, tool_name: name, result },
})

function refused(seen: Seen, code: string, message: string): Extract<Thought, { kind: 'failed' }> {
  return { kind: 'failed', code, message, can_retry: false, seen, step: null }
}

function failed(seen: Seen, step: TurnStep, { kind, code, message, retry_after_s }: ModelFailure): Thought {
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
