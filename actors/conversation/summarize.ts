/** Summarizes the conversation of a ticket for the people of the business. Nothing changes but what was spent. */
import { AssistantTurn, blank, findAssistantSettings, newDate, objectId } from '../../storage/mod.ts'
import { type ConversationSummary, readQuestion, summaryIn, summaryOfText, summaryQuestion } from '../assistants/mod.ts'
import { contextFor } from './ask_model.ts'
import { askPatiently } from './ask_patiently.ts'
import type { AssistantServices } from './assistant_work.ts'
import { newProgress } from './progress.ts'
import { totalsOf } from './turn_totals.ts'

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
  const { database, models, languages } = services
  const started_at = newDate()
  const settings = await findAssistantSettings(database, project_id, assistant_id)
  if (!settings) return { kind: 'missing', what: 'assistant' }
  const findModel = (name: string) => models.find(name)
  const up_to_context = contextFor(models.find(settings.model ?? ''))
  const from = { project_id, assistant_id, ticket_id, up_to_context, findModel, languages }
  const read = await readQuestion(database, from)
  if (!read) return { kind: 'missing', what: 'ticket' }
  const question = summaryQuestion(read, language)
  const { steps, ...progress } = newProgress()
  const asking = { ...progress, project_id, assistant_id, ticket_id }
  const thought = await askPatiently(services, asking, question, settings, { deadline, steps, signal })
  const summary =
    thought.kind === 'called'
      ? summaryIn(thought.tool_calls)
      : thought.kind === 'said'
        ? summaryOfText(thought.text)
        : undefined
  const turn = blank(AssistantTurn, {
    _id: objectId(),
    company_id: settings.company_id,
    ...{ project_id, assistant_id, origin: 'summary', ticket_id, chat_user: question.person.contact.id },
    ...{ channel_id: question.channel?._id ?? null, segment: question.segment, version: question.version },
    ...{ model: question.assistant.model, outcome: summary ? 'answered' : 'failed' },
    reason: summary ? null : thought.kind === 'failed' ? thought.code : 'empty',
    answer: summary ? Object.values(summary).filter(Boolean).join('\n') : null,
    ...{ sources: [], blocks: [], documents: [], steps, ...totalsOf(steps) },
    cost_currency: models.find(question.assistant.model)?.price?.currency ?? null,
    ...{ started_at, ended_at: newDate() },
  })
  return { kind: 'ended', turn, summary: summary ?? null }
}
