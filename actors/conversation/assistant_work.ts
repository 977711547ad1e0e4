/** The slow work of turns: reads the conversation, asks the model, runs tools. Nothing here decides. */
import { findHeldConversation, type HeldConversation } from '../../storage/mod.ts'
import type { ToolClient } from '../agent_tools/mod.ts'
import {
  AnswerDraft,
  type CommandEnd,
  handOverWords,
  type Question,
  readBoundPerson,
  readQuestion,
  type ToolCommand,
} from '../assistants/mod.ts'
import { askModel, contextFor, type ModelServices } from './ask_model.ts'
import type { AssistantAtWork, Seen, Thought, ToolsQuestion, ToolsRun, TurnQuestion } from './assistant_at_work.ts'
import { type AssistantTyping, showTyping } from './assistant_typing.ts'
import { awaitFiles } from './await_files.ts'
import { emptyRun, useTools } from './use_tools.ts'
import { VisitorDraft, type VisitorDraftOptions } from './visitor_draft.ts'

/** Asks the project to carry out a command of a tool, once for each key. */
export type AskProject = (
  asked: Pick<ToolsQuestion, 'project_id' | 'ticket_id' | 'segment'> & { key: string; command: ToolCommand },
) => Promise<CommandEnd>

export type AssistantServices = ModelServices & { tools: ToolClient }

export type AssistantWorkOptions = AssistantServices & {
  askProject: AskProject
  /** Publishes to the pages of a visitor. */
  tellVisitor: VisitorDraftOptions['tell']
  /** Publishes to the consoles of a project. */
  tellConsoles: (typing: AssistantTyping) => unknown
}

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
    const begun = performance.now()
    let question = await readQuestion(database, { ...from, held })
    if (question && (await awaitFiles(database, project_id, question, asked.deadline_ms, signal))) {
      question = await readQuestion(database, from)
    }
    if (!question) return { kind: 'not_held' }
    const deadline_ms = Math.max(1, asked.deadline_ms - (performance.now() - begun))
    const draft = this.#draft(asked, question, held)
    const endTyping = this.#showTyping(asked)
    let leaves = false
    let goes_on = false
    try {
      const onText = draft && ((delta: string) => draft.add(delta))
      const thought = await askModel(this.#options, { ...asked, deadline_ms, onText }, question, held, signal)
      leaves = thought.kind === 'said' && thought.verdict.kind === 'ok'
      goes_on = thought.kind === 'called'
      return thought
    } finally {
      draft?.end(leaves)
      endTyping(goes_on)
    }
  }

  #showTyping({ project_id, ticket_id, assistant_id }: TurnQuestion | ToolsQuestion) {
    return showTyping({ project_id, ticket_id, assistant_id }, this.#options.tellConsoles)
  }

  /** Visitors of a web chat see the answer while it is written. */
  #draft(asked: TurnQuestion, question: Question, held: HeldConversation): VisitorDraft | undefined {
    const { project_id, ticket_id, turn_id, sources, links } = asked
    const { segment, version, channel, assistant } = question
    if (channel?.channel_type !== 'web' || channel._id !== held.channel_id || held.address === null) return undefined
    const { database, tellVisitor } = this.#options
    const allowed_links = [...question.links, ...links]
    return new VisitorDraft({
      turn_id,
      visitor: { channel_id: channel._id, user_id: held.address },
      assistant_name: assistant.name,
      draft: new AnswerDraft({ sources, allowed_links, text_limit: channel.text_limit }),
      tell: tellVisitor,
      isCurrent: async () => {
        const now = await findHeldConversation(database, project_id, ticket_id)
        return now?.is_held === true && now.segment === segment && now.version === version
      },
    })
  }

  async runTools(asked: ToolsQuestion, _signal: AbortSignal): Promise<ToolsRun> {
    const { database, tools: client, askProject } = this.#options
    const { project_id, ticket_id, assistant_id, turn_id, step, segment } = asked
    const deadline = performance.now() + asked.deadline_ms
    const held = await findHeldConversation(database, project_id, ticket_id)
    // A tool may do something outside, which nobody expects after people took over.
    if (!held?.is_held || held.segment !== segment) return emptyRun()
    const person = await readBoundPerson(database, project_id, { ticket_id })
    if (!person) return emptyRun()
    const { company_id } = held
    const endTyping = this.#showTyping(asked)
    try {
      return await useTools({
        ...asked,
        context: {
          database,
          client,
          company_id,
          project_id,
          assistant_id,
          person,
          deadline,
          webhooks: { mode: 'live' },
        },
        askProjectOf: (index) => (command) =>
          askProject({ project_id, ticket_id, segment, key: `${turn_id}:${step}:${index}`, command }),
      })
    } finally {
      endTyping(true)
    }
  }

  handOverWords(
    { language, is_outside_hours }: Pick<Seen, 'language' | 'is_outside_hours'>,
    has_failed: boolean,
  ): string {
    return handOverWords(language, { is_outside_hours, has_failed })
  }
}
