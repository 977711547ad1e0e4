/**
 * A turn without an actor: an answer that somebody asks for and that nobody sends. It ends with its caller, and nothing of it
 * goes on after a crash.
 *
 *  R1 No record changes, and only what was spent is counted: tools that would change a record say so to the model. Webhooks are
 *     called as far as the caller wants.
 *  R2 It ends within its time, and after a bounded number of questions to the model.
 */
import { type AssistantSettings, type AssistantTurn, newDate } from '../../storage/mod.ts'
import {
  type AnswerVerdict,
  handOverWords,
  missingBlock,
  type Question,
  type Subject,
  type ToolsMode,
  type Tried,
} from '../assistants/mod.ts'
import { openingAt } from '../office_hours/mod.ts'
import type { ReadThought } from './ask_model.ts'
import { askPatiently } from './ask_patiently.ts'
import { beginAskedTurn, endAskedTurn } from './asked_turn.ts'
import type { AssistantServices } from './assistant_work.ts'
import { waits } from './pace.ts'
import { addRepair, addTools, newProgress, type Progress } from './progress.ts'
import type { CurrentTurn } from './state.ts'
import { useTools } from './use_tools.ts'

/** Questions to the model that it answered: its 8 calls of tools, an answer, and one that is mended. */
const MAX_STEPS = 10

type TurnAsked = {
  project_id: string
  assistant_id: string
  subject: Subject
  origin: 'reply' | 'playground' | 'test'
  tools: ToolsMode
  /** Settings instead of the stored ones. */
  tried?: Tried | undefined
  /** A moment of `performance.now()`. */
  deadline: number
}

/**
 * The turn is for the caller to store. Its reason is `aborted` when the caller left, or this node stops. `missing`: what the project
 * does not have.
 */
type RanTurn =
  | { kind: 'ended'; turn: AssistantTurn }
  | { kind: 'missing'; what: 'assistant' | 'subject' }
  | { kind: 'missing'; what: 'block'; block_id: string }

type End = {
  outcome: 'answered' | 'handed_over' | 'failed'
  reason: string | null
  answer: string | null
  sources: CurrentTurn['sources']
}

/** Rejects when the database cannot be read. */
export async function runTurn(services: AssistantServices, asked: TurnAsked, signal: AbortSignal): Promise<RanTurn> {
  const begun = await beginAskedTurn(services, asked)
  if (typeof begun === 'string') return { kind: 'missing', what: begun }
  const { settings, question } = begun
  const { blocks } = question
  const block_id = missingBlock(asked.tried, blocks)
  if (block_id !== undefined) return { kind: 'missing', what: 'block', block_id }
  const progress = newProgress()
  const end = await new Run(services, asked, question, settings, progress, signal).end()
  const turn = endAskedTurn(services, begun, progress, { origin: asked.origin, blocks, ...end })
  return { kind: 'ended', turn }
}

class Run {
  readonly #services: AssistantServices
  readonly #asked: TurnAsked
  readonly #question: Question
  readonly #settings: AssistantSettings
  readonly #progress: Progress
  readonly #signal: AbortSignal

  constructor(
    services: AssistantServices,
    asked: TurnAsked,
    question: Question,
    settings: AssistantSettings,
    progress: Progress,
    signal: AbortSignal,
  ) {
    this.#services = services
    this.#asked = asked
    this.#question = question
    this.#settings = settings
    this.#progress = progress
    this.#signal = signal
  }

  async end(): Promise<End> {
    for (let step = 1; step <= MAX_STEPS; step++) {
      const thought = await this.#think()
      if (thought.kind === 'failed') return { outcome: 'failed', reason: thought.code, answer: null, sources: [] }
      if (thought.kind === 'machine') return this.#handedOver('another_machine')
      const end = thought.kind === 'called' ? await this.#use(thought) : this.#judged(thought.verdict, thought)
      if (end) return end
    }
    return this.#handedOver('too_many_steps')
  }

  #think(): Promise<ReadThought> {
    const { project_id, assistant_id, deadline } = this.#asked
    const asking = { ...this.#progress, project_id, assistant_id, ticket_id: this.#question.person.ticket_id }
    const patience = { deadline, steps: this.#progress.steps, signal: this.#signal }
    return askPatiently(this.#services, asking, this.#question, this.#settings, patience)
  }

  async #use({ text, tool_calls }: Extract<ReadThought, { kind: 'called' }>): Promise<End | undefined> {
    const { database, tools: client } = this.#services
    const { project_id, assistant_id, deadline, tools: webhooks, tried } = this.#asked
    const progress = this.#progress
    progress.exchange.push({ role: 'assistant', text, tool_calls })
    const run = await useTools({
      tool_calls,
      steps: progress.steps,
      first_source: progress.sources.length + 1,
      context: {
        ...{ database, client, company_id: this.#settings.company_id, project_id, assistant_id, webhooks, tried },
        ...{ person: this.#question.person, deadline: Math.min(deadline, performance.now() + waits.tools_ms) },
      },
      askProjectOf: () => undefined,
    })
    addTools(progress, run)
    if (run.hand_over) return this.#handedOver('asked')
    return run.is_endless ? this.#handedOver('too_many_steps') : undefined
  }

  #judged(verdict: AnswerVerdict, { text }: { text: string }): End | undefined {
    if (verdict.kind === 'hand_over') return this.#handedOver(verdict.reason)
    if (verdict.kind === 'ok') {
      return { outcome: 'answered', reason: null, answer: verdict.text, sources: verdict.sources }
    }
    addRepair(this.#progress, text, verdict.instruction)
    return undefined
  }

  #handedOver(reason: string): End {
    const { language } = this.#question
    const is_outside_hours = !openingAt(this.#settings.office_hours, newDate()).is_open
    const answer = handOverWords(language, { is_outside_hours, has_failed: false })
    return { outcome: 'handed_over', reason, answer, sources: [] }
  }
}
