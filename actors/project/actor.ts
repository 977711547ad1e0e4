/**
 * The project actor, one per tenant project. It admits requests, stores contacts and messages, processes reports of
 * providers, keeps the registry of webhook subscriptions and sends them events. `features.ts` lists its features.
 *
 * Commands on different records share a turn and a commit. Commands on one record run in the order of arrival.
 */
import { type ActorKind, defineActor } from '../../runtime/mod.ts'
import type { Database } from '../../storage/mod.ts'
import { Foreground } from '../foreground.ts'
import type { Importer } from '../knowledge/import/mod.ts'
import type { Providers } from '../providers/mod.ts'
import type { MediaFetcher } from '../received_files/mod.ts'
import { commands, receivers } from './features.ts'
import { publishChanges } from './live/publish_changes.ts'
import type { ProjectMessage, ProjectProtocol } from './protocol.ts'
import { peekRequests } from './requests/handle_request.ts'
import type { ProjectContext, TokenMails } from './turn/feature.ts'
import { Reads } from './turn/reads.ts'
import type { Records } from './turn/records.ts'
import { loadProjects, missingProject, type ProjectState } from './turn/state.ts'
import type { ProjectTurn } from './turn/turn.ts'

export type ProjectOptions = {
  database: Database
  /** Seconds before each attempt at a webhook delivery, the first included. */
  webhook_schedule: readonly number[]
  /** The address under which clients reach the API. */
  base_url: string
  providers: Providers
  /** Notified of writes of clients and of messages from people. */
  foreground?: Foreground
  /** Called after the commit of a change to a document of the knowledge. */
  knowledge_changed?: () => void
  /** Told of each part of a webhook call that was left out, after the commit. */
  ignored?: ProjectContext['ignored']
  /** Told of each turn of an assistant in a conversation that ended, after the commit. */
  assistantTurnEnded?: ProjectContext['assistantTurnEnded']
  /** Without one, imports wait. */
  importer?: Pick<Importer, 'run'>
  /** Without one, files of people wait at their providers. */
  media_fetcher?: Pick<MediaFetcher, 'run'>
  /** The default finds none here. */
  isVisitorHere?: ProjectContext['isVisitorHere']
  /** The default mails owners. */
  token_mails?: TokenMails
}

/** The reads that the messages of a turn need. */
export function readsOf(messages: ProjectMessage[], state: ProjectState, now: Date, context: ProjectContext): Reads {
  const reads = new Reads(state, now)
  for (const message of messages) receivers.get(message.type)?.forgets?.(reads, message)
  for (const message of messages) receivers.get(message.type)?.reads?.(reads, message, context)
  return reads
}

/** The actor kind `project`. */
export function projectActor(options: ProjectOptions): ActorKind<ProjectProtocol, ProjectState, Records> {
  const { database, webhook_schedule, base_url, providers, foreground = new Foreground() } = options
  const {
    knowledge_changed = () => {},
    ignored = () => {},
    assistantTurnEnded = () => {},
    importer,
    media_fetcher,
    isVisitorHere = async () => false,
    token_mails = { to: ['owner'], warning_days: [] },
  } = options
  const context: ProjectContext = {
    database,
    providers,
    foreground,
    knowledge_changed,
    ignored,
    assistantTurnEnded,
    importer,
    media_fetcher,
    isVisitorHere,
    token_mails,
  }
  return defineActor<ProjectProtocol, ProjectState, Records>({
    kind: 'project',
    load: (ids, database) => loadProjects(ids, database, { webhook_schedule, base_url }),
    create: missingProject,
    early: Object.fromEntries([...receivers].flatMap(([type, { early }]) => (early ? [[type, []]] : []))),
    // An erasure reads what earlier messages have written about a person, and later ones find the person gone.
    alone: ['erase_people', 'erase_project'],
    read: (messages, { state, now }) => readsOf(messages, state, now, context).run(database),
    peek: { request: peekRequests(commands) },
    decided: publishChanges,
    receive: receiveIn(context),
  })
}

type Receive = ActorKind<ProjectProtocol, ProjectState, Records>['receive']

function receiveIn(context: ProjectContext): Receive {
  const all: Record<string, (turn: ProjectTurn, message: object) => unknown> = {}
  for (const [type, receiver] of receivers) all[type] = (turn, message) => receiver.receive(turn, message, context)
  return all as Receive
}
