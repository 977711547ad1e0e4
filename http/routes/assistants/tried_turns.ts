/** Turns that clients and agents ask for, and that nobody sends. */
import { runTurn, type Subject, type ToolsMode, type Tried, type TriedToolsRecord } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import type { AssistantTurn } from '../../../storage/mod.ts'
import { type Operation, UpstreamFailure } from '../../server/changes/operation.ts'
import type { RequestContext } from '../../server/route/route.ts'
import { blockNotFound } from './prompt.ts'
import { UnderWay } from './under_way.ts'
import type { AssistantHooks } from './work.ts'

/** Milliseconds of a turn: those of a turn in a conversation. */
export const TURN_MS = 50_000
/** Bytes of a body. Fifty contents may have more, of which no model would see half. */
export const TRIAL_BODY_LIMIT = 4 * 1024 * 1024

type Asked = {
  assistant_id: string
  subject: Subject
  origin: 'reply' | 'playground'
  tools: TriedToolsRecord | undefined
  tried: Tried
}

export class TriedTurns {
  readonly #services: AssistantHooks['services']
  readonly #under_way = new UnderWay()

  constructor({ services }: AssistantHooks) {
    this.#services = services
  }

  /**
   * @throws {Refusal} NOT_FOUND, BLOCK_NOT_FOUND, NO_CONTACT, TICKET_NOT_FOUND
   * @throws {Unavailable} when the project has too many under way
   */
  async run(asked: Asked, { project_id }: RequestContext, { deadline, signal }: Operation): Promise<AssistantTurn> {
    const tools = toolsOf(asked.tools)
    const ran = await this.#under_way.run(project_id, () =>
      runTurn(this.#services, { ...asked, project_id, tools, deadline }, signal),
    )
    if (ran.kind === 'ended') return ran.turn
    if (ran.what === 'block') throw blockNotFound(ran.block_id)
    if (ran.what === 'assistant') throw new Refusal('NOT_FOUND')
    throw new Refusal('messages' in asked.subject ? 'NO_CONTACT' : 'TICKET_NOT_FOUND')
  }
}

/** @throws {UpstreamFailure} SERVICE_UNAVAILABLE for a turn that ended with its caller */
export function mustHaveEnded({ reason }: AssistantTurn): void {
  if (reason !== 'aborted') return
  const failure = { message: 'The call ended before there was a reply.', maybe_accepted: false }
  throw new UpstreamFailure('SERVICE_UNAVAILABLE', failure)
}

function toolsOf({ mode, fixtures = [] }: TriedToolsRecord = { mode: 'read' }): ToolsMode {
  return mode === 'fixtures' ? { mode, fixtures } : { mode }
}

type TriedInstructions = {
  blocks?: readonly { block_id: string; content: string }[] | undefined
  held?: boolean | undefined
}

/** The instructions of a body as they are tried. */
export function instructionsTried({ blocks = [], held }: TriedInstructions): Pick<Tried, 'contents' | 'held'> {
  const contents = new Map(blocks.map(({ block_id, content }) => [block_id, content]))
  return { contents, ...(held && { held }) }
}
