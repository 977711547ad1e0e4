/** Summarizes the conversation of a ticket for the people of the business. Nothing changes but what was spent. */
import type { AssistantTurn } from '../../storage/mod.ts'
import { type ConversationSummary, summaryIn, summaryOfText, summaryQuestion } from '../assistants/mod.ts'
import { askPatiently } from './ask_patiently.ts'
import { beginAskedTurn, endAskedTurn } from './asked_turn.ts'
import type { AssistantServices } from './assistant_work.ts'
import { newProgress } from './progress.ts'

type SummaryAsked = {
  project_id: string
  assistant_id: string
  ticket_id: string
  /** ISO 639-1; null for the language of the person. */
  language: string | null
  /** A moment of `performance.now()`. */
  deadline: number
}

/** The turn is for the caller to store. `summary` is null when it failed, for the turn's `reason`. */
type Summarized =
  | { kind: 'ended'; turn: AssistantTurn; summary: ConversationSummary | null }
  | { kind: 'missing'; what: 'assistant' | 'ticket' }

/** Rejects when the database cannot be read. */
export async function summarize(
  services: AssistantServices,
  { project_id, assistant_id, ticket_id, language, deadline }: SummaryAsked,
  signal: AbortSignal,
): Promise<Summarized> {
  const begun = await beginAskedTurn(services, { project_id, assistant_id, subject: { ticket_id } })
  if (begun === 'assistant') return { kind: 'missing', what: begun }
  if (begun === 'subject') return { kind: 'missing', what: 'ticket' }
  const progress = newProgress()
  const asking = { ...progress, project_id, assistant_id, ticket_id }
  const question = summaryQuestion(begun.question, language)
  const patience = { deadline, steps: progress.steps, signal }
  const thought = await askPatiently(services, asking, question, begun.settings, patience)
  const summary =
    thought.kind === 'called'
      ? summaryIn(thought.tool_calls)
      : thought.kind === 'said'
        ? summaryOfText(thought.text)
        : undefined
  const turn = endAskedTurn(services, begun, progress, {
    ...{ origin: 'summary', outcome: summary ? 'answered' : 'failed', sources: [], blocks: [] },
    reason: summary ? null : thought.kind === 'failed' ? thought.code : 'empty',
    answer: summary ? Object.values(summary).filter(Boolean).join('\n') : null,
  })
  return { kind: 'ended', turn, summary: summary ?? null }
}
