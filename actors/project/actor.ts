/**
 * The project actor: one per tenant project. It admits requests, keeps contacts and messages, takes what providers say,
 * keeps the registry of webhook subscriptions and tells them of events.
 *
 * Commands on different records share a turn and a commit; order per record is the order of arrival.
 */
import { type ActorKind, defineActor } from '../../runtime/mod.ts'
import { type Database, RateWindow } from '../../storage/mod.ts'
import { Foreground } from '../foreground.ts'
import type { Providers } from '../providers/mod.ts'
import { admit } from './admission.ts'
import { broadcastEnded, takeSlice, withdrawBulk } from './broadcasts.ts'
import { isCloud } from './cloud_channel.ts'
import { emit, type ProjectTurn } from './events.ts'
import { flowReported } from './flows.ts'
import { messageReceived } from './inbound.ts'
import { type InboundCall, readInboundCall, type Said } from './inbound_call.ts'
import type { ProjectMessage, ProjectProtocol } from './protocol.ts'
import { type ProjectRecords, readRecords } from './records.ts'
import { accountReported, channelStatus, refresh } from './refresh.ts'
import type { ProjectReply, ProjectRequest } from './request.ts'
import { conclude, handleRequest } from './request_turn.ts'
import { loadProjects, missingProject, type ProjectState } from './state.ts'
import { messagesAccepted, messagesRefused, statusReported } from './statuses.ts'
import { syncIn, syncTemplates, templateReported, templatesListed, templatesNotListed } from './templates.ts'
import { disableWebhook } from './webhooks.ts'

const PERSIST_MS = 1000
/** A channel is told that its webhook works this long after it did: once for many calls. */
const HEARD_MS = 15_000
const persist = { type: 'persist_windows' }

type Records = ProjectRecords & { calls: Map<ProjectMessage, InboundCall> }

export type ProjectOptions = {
  database: Database
  /** Seconds before each attempt at a webhook delivery, the first included. */
  webhook_schedule: readonly number[]
  /** Under which clients reach the API. */
  base_url: string
  providers: Providers
  /** Told of what somebody waits for. */
  foreground?: Foreground
}

/** One thing that a provider said. */
function take(turn: ProjectTurn, said: Said, providers: Providers): void {
  const { kind } = said.item
  if (kind === 'message') messageReceived(turn, said as Said<'message'>, providers)
  else if (kind === 'status') statusReported(turn, said as Said<'status'>, providers)
  else if (kind === 'account') accountReported(turn, said as Said<'account'>)
  else if (kind === 'template') templateReported(turn, said as Said<'template'>, providers)
  else flowReported(turn, said as Said<'flow'>)
}

function isCloudChannel(turn: ProjectTurn, id: string): boolean {
  const channel = turn.state.channels.get(id)
  return channel !== undefined && isCloud(channel)
}

/** A write of a client. Those that work at a provider only take their key here, bulk sends among them. */
function isWaitedFor({ command }: ProjectRequest): boolean {
  return command !== undefined && command.type !== 'claim_operation'
}

export function projectActor(options: ProjectOptions): ActorKind<ProjectProtocol, ProjectState, Records> {
  const { database, webhook_schedule, base_url, providers, foreground = new Foreground() } = options
  return defineActor<ProjectProtocol, ProjectState, Records>({
    kind: 'project',
    load: (ids, database) => loadProjects(ids, database, { webhook_schedule, base_url }),
    create: missingProject,

    async read(messages, { state, now }) {
      const calls = new Map<ProjectMessage, InboundCall>()
      for (const message of messages) {
        if (message.type === 'inbound') calls.set(message, readInboundCall(state, message, providers, now))
      }
      return { ...(await readRecords(messages, calls, state, database, now)), calls }
    },

    peek: {
      /** A read, and the identity once it is known, need no commit: the windows are written behind. */
      request({ state, now, soon }, request): ProjectReply | undefined {
        const { command } = request
        if (command && command.type !== 'read_identity') return undefined
        const identity = command ? state.identities.get(request.token_id) : undefined
        if (command && identity === undefined && state.tokens.has(request.token_id)) return undefined
        const admission = admit(state, request, now.getTime())
        if (admission.ok && request.pool !== 'exempt') soon(PERSIST_MS, persist)
        return identity !== undefined && admission.ok ? { admission, result: { json: identity } } : { admission }
      },
    },

    receive: {
      request(turn, request) {
        const reply = handleRequest(turn, request as ProjectRequest, { database, providers })
        if (reply.admission.ok) turn.soon(PERSIST_MS, persist)
        if (isWaitedFor(request as ProjectRequest)) foreground.note(performance.now())
        return reply
      },
      conclude: (turn, conclusion) => conclude(turn, conclusion, database),
      inbound(turn, message) {
        const call = turn.records.calls.get(message)!
        // Statuses are mostly those of bulk sends themselves.
        if (call.said.some(({ item }) => item.kind === 'message')) foreground.note(performance.now())
        for (const said of call.said) take(turn, said, providers)
        for (const { channel } of call.said) turn.state.heard.add(channel.id)
        if (call.said.length > 0) turn.soon(HEARD_MS, { type: 'tell_heard' })
        return call.answer
      },
      messages_accepted: messagesAccepted,
      messages_refused: messagesRefused,
      channel_status(turn, message) {
        channelStatus(turn, message)
        const channel = turn.state.channels.get(message.channel_id)
        if (channel?.channel_type !== 'whatsapp') return
        const { channel_id, status, reason: status_reason } = message
        const { channel_type, name } = channel
        const changed = { channel_id, channel_type, name, status, status_reason }
        emit(turn, `whatsapp.channel.${status}`, changed, null)
      },
      bulk_slice: (turn, slice) => takeSlice(turn, slice, providers),
      withdraw_bulk: withdrawBulk,
      broadcast_ended: broadcastEnded,
      subscription_failing(turn, { subscription_id }) {
        disableWebhook(turn, subscription_id)
      },
      refresh(turn, message) {
        refresh(turn, message, database)
        // Checking the channel has just brought its templates.
        if (message.what === 'channel' && isCloudChannel(turn, message.id)) syncIn(turn)
      },
      templates_listed: (turn, listed) => templatesListed(turn, listed, providers),
      templates_not_listed: templatesNotListed,
      sync_templates: (turn) => syncTemplates(turn, providers),
      tell_heard(turn) {
        for (const channel_id of turn.state.heard) turn.tell(`channel/${channel_id}`, { type: 'heard' })
        turn.state.heard.clear()
      },
      persist_windows(turn) {
        if (turn.state.exists) turn.upsert(RateWindow, { project_id: turn.key, counts: turn.state.counts })
      },
    },
  })
}
