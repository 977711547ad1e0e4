/** An API request in the project's turn: admission, replay of an earlier answer, then the command. */
import { Refusal, Unavailable } from '../../../runtime/mod.ts'
import type { Database } from '../../../storage/mod.ts'
import type { ErrorCode } from '../../error_catalogue.ts'
import { persistSoon } from '../limits/feature.ts'
import { noteUse } from '../tokens/token_uses.ts'
import { type Admission, admit } from '../turn/admission.ts'
import { withAudit } from '../turn/audit.ts'
import { type CommandResult, recordOf, unavailable, unknownCommand } from '../turn/command_result.ts'
import type { Command, CommandContext, Receiver } from '../turn/feature.ts'
import type { ProjectState } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { admitAgent, agentReads } from './agents.ts'
import { answerKey, answerReads, isSameRequest, wantAnswer } from './answers.ts'
import { claimOperation, heldBy } from './operations.ts'
import type { Claimed, ClaimOperation, Idempotency as Key, ProjectReply, RequestOf } from './request.ts'
import { runOnce } from './run_once.ts'
import { replay } from './stored_answer.ts'

type AnyCommand = { type: string }

/** The commands of requests, by type. */
export type Commands = ReadonlyMap<string, Command<AnyCommand>>
type Request = Omit<RequestOf<AnyCommand>, 'type'>

/** A request in a turn. */
export function receiveRequests(commands: Commands): Receiver<Request, ProjectReply> {
  return {
    reads(reads, { agent, command, idempotency, token_id }) {
      if (agent) reads.of(agentReads).add(agent.session)
      if (idempotency) wantAnswer(reads, idempotency)
      if (command) commands.get(command.type)?.reads?.(reads, command, token_id)
    },
    receive(turn, request, { foreground, ...services }) {
      const { agent, token_id } = request
      const user_id = agent?.user_id ?? turn.state.tokens.get(token_id)?.user_id ?? ''
      const reply = handleRequest(turn, request, commands, { ...services, token_id, user_id })
      if (reply.admission.ok && !agent) persistSoon(turn)
      if (isWaitedFor(request)) foreground.noteTurn(turn)
      return reply
    },
  }
}

/** True for a client's write. Operations at a provider, and bulk sends, only take their key here. */
function isWaitedFor({ command }: Request): boolean {
  return command !== undefined && command.type !== 'claim_operation'
}

type Glance = { state: ProjectState; now: Date; soon(ms: number, message: AnyCommand): void }

/** Answers without a commit: reads, and commands whose answer is in memory. The rate windows are stored later. */
export function peekRequests(commands: Commands): (glance: Glance, request: Request) => ProjectReply | undefined {
  return (glance, request) => {
    const { state, now } = glance
    const { agent, command, token_id } = request
    // Sessions are not in memory.
    if (agent) return undefined
    let result: CommandResult | undefined
    if (command) {
      const { peek } = commands.get(command.type) ?? {}
      if (!peek) return undefined
      result = peek(state, token_id)
      // Without a live token in memory the request is not admitted, whatever it asks.
      if (!result && state.tokens.get(token_id)?.revoked_at === null) return undefined
    }
    const admission = admit(state, request, now.getTime())
    if (isAuthentic(admission)) noteUse(glance, token_id)
    if (admission.ok && (request.draws ?? request.pool) !== 'exempt') persistSoon(glance)
    return result && admission.ok ? { admission, result } : { admission }
  }
}

/** True when the token is valid, also for a request that is refused for another reason. */
function isAuthentic(admission: Admission): boolean {
  return admission.ok || admission.code !== 'UNAUTHENTICATED'
}

function handleRequest(turn: ProjectTurn, request: Request, commands: Commands, context: CommandContext): ProjectReply {
  const { database } = context
  const { agent, command, idempotency } = request
  const admission = agent ? admitAgent(turn, agent) : admit(turn.state, request, turn.now.getTime())
  if (isAuthentic(admission)) noteUse(turn, request.token_id)
  if (!admission.ok || !command) return { admission }
  if (isClaim(command)) return { admission, result: claim(turn, command, idempotency!, database) }
  const part = commands.get(command.type)
  if (!part) return { admission, result: unknownCommand(command) }
  const run = () => attempt(turn, part, command, request, context)
  if (!idempotency) return { admission, result: run() }
  return { admission, result: runOnce(turn, idempotency, part.answers_secret === true, database, run) }
}

function isClaim(command: AnyCommand): command is ClaimOperation {
  return command.type === 'claim_operation'
}

/** Takes the key for an operation, or returns the answer to the earlier request with this key. */
function claim(turn: ProjectTurn, command: ClaimOperation, key: Key, database: Database): CommandResult | Claimed {
  const earlier = turn.records.of(answerReads).get(answerKey(key))
  if (earlier && !isSameRequest(earlier, key)) return { error: { code: 'IDEMPOTENCY_KEY_REUSED' } }
  return earlier && !heldBy(earlier) ? replay(earlier, database) : claimOperation(turn, key, command, earlier)
}

/** Runs a command. A refusal is an answer, and nothing has changed then: commands check before they change. */
function attempt(
  turn: ProjectTurn,
  part: Command<AnyCommand>,
  command: AnyCommand,
  { origin }: Request,
  context: CommandContext,
): CommandResult {
  try {
    const where = { turn, origin, database: context.database }
    return withAudit(where, part.audit, command, () => part.run(turn, command, context), recordOf)
  } catch (error) {
    if (error instanceof Unavailable) return unavailable(error)
    if (!(error instanceof Refusal)) throw error
    return { error: { code: error.code as ErrorCode, message: error.text, details: error.details } }
  }
}
