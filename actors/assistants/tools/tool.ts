/**
 * Tools of assistants.
 *
 *  T1 A model is offered the tools of its assistant that are switched on, and those of Parley, whose names begin with
 *     `parley_`. A call of another name has no effect.
 *  T2 Arguments that are bound to the person (`x-parley-bind`) are not shown to the model. The server fills them, and a
 *     value of the model under such a name is dropped.
 *  T3 A result is data of at most `MAX_RESULT_BYTES`. A wrong call has a result, too, which says what is wrong.
 *  T4 Where fixtures stand for results, nothing outside is called.
 */
import type { Database } from '../../../storage/mod.ts'
import type { ToolClient } from '../../agent_tools/mod.ts'
import type { Tried } from '../tried.ts'

/** The person of a conversation, to whom all that tools do is bound. */
export type BoundPerson = {
  contact: {
    /** Null where nobody is known, as in all that follows. */
    id: string | null
    name: string | null
    phone: string | null
    email: string | null
    /** That of the customer record. */
    external_id: string | null
  }
  customer_id: string | null
  /** Null outside conversations, where a reply is only asked for. */
  ticket_id: string | null
}

/** Somebody of whom nothing is known. */
export const NOBODY: BoundPerson = {
  contact: { id: null, name: null, phone: null, email: null, external_id: null },
  customer_id: null,
  ticket_id: null,
}

/** Documents and other places that an answer may cite. `[1]` in an answer is the first of a turn. */
export type Source = { title: string; node_id: string | null; url: string | null }

export type HandOver = {
  kind: 'hand_over'
  /** A sentence for the person who continues. */
  reason: string
  summary: { motivo: string | null; estado: string | null; proximos_pasos: string | null }
  stage_texts: {
    prioridad: string | null
    contexto: string | null
    problema: string | null
    recomendaciones: string | null
  }
}

/** The decisions that the turn carries out at its end. The last one counts. */
export type ToolEffect = HandOver

/** Commands that tools ask of the project. They have the form of the project's own commands. */
export type ToolCommand =
  | {
      type: 'update_ticket'
      id: string
      patch: {
        priority?: 'low' | 'medium' | 'high' | 'urgent' | null
        category?: string | null
        add_tag_ids?: string[]
        custom_fields?: Record<string, unknown>
      }
    }
  | {
      type: 'create_appointment'
      fields: {
        chat_user: string
        customer_id: string | null
        /** ISO 8601, because commands travel as JSON. */
        starts_at: { instant: string }
        ends_at: { instant: string }
        timezone: string
        modality?: 'online' | 'in-person'
        assigned_to: string
        status: 'pending'
      }
    }

/** `body`: the answer of the command. `refused`: its code, and a sentence about it. */
export type CommandEnd = { body: unknown } | { refused: { code: string; message: string } }

export type ToolResult = {
  /** Goes to the model as the result of its call. */
  result: string
  /** Set when the call did not do what the model wanted. `result` tells the model. */
  error?: { code: string; message: string }
  /** Documents that were found, for the record of the turn. */
  documents?: { node_id: string; title: string; score: number }[]
  /** Continue the list of the turn: the first one here is number `first_source`. */
  sources?: Source[]
  /** Links in the result, which an answer may have. */
  links: string[]
  effect?: ToolEffect
}

/** A result that stands for a call of this tool whose arguments have these among them. */
export type ToolFixture = { tool: string; arguments?: Record<string, unknown> | undefined; result: unknown }

/** Calls of webhooks: all (`live`), those with the method GET (`read`), or none, with results that are given. */
export type ToolsMode = { mode: 'live' | 'read' } | { mode: 'fixtures'; fixtures: readonly ToolFixture[] }

export type ToolContext = {
  database: Database
  client: ToolClient
  company_id: string
  project_id: string
  assistant_id: string
  person: BoundPerson
  webhooks: ToolsMode
  tried?: Tried | undefined
  /** The number of the next source in this turn, from 1. */
  first_source: number
  /** A moment of `performance.now()` by which the call has ended. */
  deadline: number
  /**
   * Carries out a command for this call, once however often the call is repeated. Undefined where nothing may be
   * changed: then the tools that change something say so.
   */
  askProject: ((command: ToolCommand) => Promise<CommandEnd>) | undefined
}
