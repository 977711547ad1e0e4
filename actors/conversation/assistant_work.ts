/** The slow work of turns: reads the conversation, asks the model, runs tools. Nothing here decides. */
import { findHeldConversation } from '../../storage/mod.ts'
import type { ToolClient } from '../agent_tools/mod.ts'
import { type CommandEnd, handOverWords, readBoundPerson, readQuestion, type ToolCommand } from '../assistants/mod.ts'
import { askModel, contextFor, type ModelServices } from './ask_model.ts'
import type { AssistantAtWork, Seen, Thought, ToolsQuestion, ToolsRun, TurnQuestion } from './assistant_at_work.ts'
import { emptyRun, useTools } from './use_tools.ts'

/** Asks the project to carry out a command of a tool, once for each key. */
export type AskProject = (
  asked: Pick<ToolsQuestion, 'project_id' | 'ticket_id' | 'segment'> & { key: string; command: ToolCommand },
) => Promise<CommandEnd>

export type AssistantServices = ModelServices & { tools: ToolClient }

export type AssistantWorkOptions = AssistantServices & { askProject: AskProject }

export class AssistantWork implements AssistantAtWork {
  readonly #options: AssistantWorkOptions

  constructor(options: AssistantWorkOptions) {
    this.#options = options
  }

  async think(asked: TurnQuestion, signal: AbortSignal): Promise<Thought> {
    const { database, models, languages } = this.#options
    const { project_id, ticket_id, assistant_id } = asked
    const held = await findHeldConversation(database, project_id, ticket_id)
    if (!held?.is_held) return { kind: 'not_held', ...(!held && { is_gone: true }) }
    if (asked.version !== null && held.version !== asked.version) return { kind: 'outdated' }
    const findModel = (name: string) => models.find(name)
    const up_to_context = contextFor(models.find(held.model ?? ''))
    const from = { project_id, ticket_id, assistant_id, up_to_context, findModel, languages }
    const question = await readQuestion(database, from)
    if (!question) return { kind: 'not_held' }
    return askModel(this.#options, asked, question, held, signal)
  }

  async runTools(asked: ToolsQuestion, _signal: AbortSignal): Promise<ToolsRun> {
    const { database, tools: client, askProject } = this.#options
    const { project_id, ticket_id, assistant_id, turn_id, step, segment } = asked
    const deadline = performance.now() + asked.deadline_ms
    const person = await readBoundPerson(database, project_id, { ticket_id })
    const held = await findHeldConversation(database, project_id, ticket_id)
    if (!person || !held) return emptyRun()
    const { company_id } = held
    return useTools({
      ...asked,
      context: { database, client, company_id, project_id, assistant_id, person, deadline },
      askProjectOf: (index) => (command) =>
        askProject({ project_id, ticket_id, segment, key: `${turn_id}:${step}:${index}`, command }),
    })
  }

  handOverWords(
    { language, is_outside_hours }: Pick<Seen, 'language' | 'is_outside_hours'>,
    has_failed: boolean,
  ): string {
    return handOverWords(language, { is_outside_hours, has_failed })
  }
}
