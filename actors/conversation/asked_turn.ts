/** The beginning and the record of a turn that somebody asks for, outside of a conversation's actor. */
import {
  type AssistantSettings,
  AssistantTurn,
  blank,
  findAssistantSettings,
  newDate,
  objectId,
} from '../../storage/mod.ts'
import { type Question, readQuestion, type Subject, type Tried } from '../assistants/mod.ts'
import { contextFor } from './ask_model.ts'
import type { AssistantServices } from './assistant_work.ts'
import type { Progress } from './progress.ts'
import { totalsOf } from './turn_totals.ts'

type Asked = { project_id: string; assistant_id: string; subject: Subject; tried?: Tried | undefined }

export type AskedTurn = { asked: Asked; settings: AssistantSettings; question: Question; started_at: Date }

/** Names what the project does not have. Rejects when the database cannot be read. */
export async function beginAskedTurn(
  { database, models, languages }: AssistantServices,
  asked: Asked,
): Promise<AskedTurn | 'assistant' | 'subject'> {
  const { project_id, assistant_id, subject, tried } = asked
  const started_at = newDate()
  const settings = await findAssistantSettings(database, project_id, assistant_id)
  if (!settings) return 'assistant'
  const findModel = (name: string) => models.find(name)
  const up_to_context = contextFor(models.find(tried?.model ?? settings.model ?? ''))
  const from = { ...subject, project_id, assistant_id, up_to_context, findModel, languages, tried }
  const question = await readQuestion(database, from)
  return question ? { asked, settings, question, started_at } : 'subject'
}

type End = Pick<AssistantTurn, 'origin' | 'outcome' | 'reason' | 'answer' | 'sources' | 'blocks'>

/** The record of the turn, which ends now. */
export function endAskedTurn(
  { models }: AssistantServices,
  { asked, settings, question, started_at }: AskedTurn,
  { documents, steps }: Pick<Progress, 'documents' | 'steps'>,
  end: End,
): AssistantTurn {
  const { project_id, assistant_id } = asked
  const { assistant, person, segment, version, channel } = question
  return blank(AssistantTurn, {
    _id: objectId(),
    company_id: settings.company_id,
    ...{ project_id, assistant_id, ticket_id: person.ticket_id, chat_user: person.contact.id },
    ...{ channel_id: channel?._id ?? null, segment, version, model: assistant.model, ...end },
    ...{ documents, steps, ...totalsOf(steps) },
    cost_currency: models.find(assistant.model)?.price?.currency ?? null,
    ...{ started_at, ended_at: newDate() },
  })
}
