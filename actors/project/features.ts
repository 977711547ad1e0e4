/** All features of the project actor. Only this file knows all features, and no feature imports it. */
import { agentTools } from './agent_tools/feature.ts'
import { assistantAnswers } from './assistant_answers/feature.ts'
import { assistants } from './assistants/feature.ts'
import { broadcasts } from './broadcasts/feature.ts'
import { bulkActions } from './bulk_actions/feature.ts'
import { cannedResponses } from './canned_responses/feature.ts'
import { channels } from './channels/feature.ts'
import { contactMerges } from './contact_merges/feature.ts'
import { contacts } from './contacts/feature.ts'
import { deployments } from './conversations/deployments/feature.ts'
import { conversations } from './conversations/feature.ts'
import { dataRights } from './data_rights/feature.ts'
import { definitions } from './definitions/feature.ts'
import { drafts } from './drafts/feature.ts'
import { events } from './events/feature.ts'
import { flows } from './flows/feature.ts'
import { historyImports } from './history_imports/feature.ts'
import { receiveInbound } from './inbound/receive_inbound.ts'
import { knowledge } from './knowledge/feature.ts'
import { knowledgeImports } from './knowledge_imports/feature.ts'
import { limits } from './limits/feature.ts'
import { loyalty } from './loyalty/feature.ts'
import { mediaFetches } from './media_fetches/feature.ts'
import { messages } from './messages/feature.ts'
import { notes } from './notes/feature.ts'
import { notifications } from './notifications/feature.ts'
import { readMarks } from './read_marks/feature.ts'
import { receiveRefreshes } from './refreshes/refresh.ts'
import { type Commands, receiveRequests } from './requests/handle_request.ts'
import { receiveOperators } from './requests/operate.ts'
import { receiveConclusions } from './requests/operations.ts'
import { savedViews } from './saved_views/feature.ts'
import { scheduledMessages } from './scheduled_messages/feature.ts'
import { scheduling } from './scheduling/feature.ts'
import { snoozes } from './snoozes/feature.ts'
import { templates } from './templates/feature.ts'
import { testSets } from './test_sets/feature.ts'
import { threads } from './threads/feature.ts'
import { tickets } from './tickets/feature.ts'
import { tokens } from './tokens/feature.ts'
import type { Command, Receiver } from './turn/feature.ts'
import { unreadMail } from './unread_mail/feature.ts'
import { webhooks } from './webhooks/feature.ts'

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** Merges tables. Throws for a key in two tables, because the last one would silently replace the first. */
function merge<Tables extends object[]>(...tables: Tables): Intersection<Tables[number]> {
  const keys = tables.flatMap(Object.keys)
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  if (twice !== undefined) throw new Error(`two features of the project actor have ${twice}`)
  return Object.assign({}, ...tables)
}

const commandTable = merge(
  tokens.commands,
  messages.commands,
  contacts.commands,
  contactMerges.commands,
  tickets.commands,
  events.commands,
  notes.commands,
  knowledge.commands,
  knowledgeImports.commands,
  webhooks.commands,
  agentTools.commands,
  deployments.commands,
  scheduling.commands,
  bulkActions.commands,
  drafts.commands,
  cannedResponses.commands,
  savedViews.commands,
  notifications.commands,
  mediaFetches.commands,
  readMarks.commands,
  snoozes.commands,
  scheduledMessages.commands,
  conversations.commands,
  testSets.commands,
)
const changeTable = merge(
  flows.changes,
  templates.changes,
  broadcasts.changes,
  messages.changes,
  threads.changes,
  agentTools.changes,
  assistants.changes,
  testSets.changes,
  knowledgeImports.changes,
  bulkActions.changes,
)
const inboundItems = merge(
  messages.inbound,
  contacts.inbound,
  channels.inbound,
  templates.inbound,
  flows.inbound,
  historyImports.inbound,
  threads.inbound,
)
/** Commands that operators may send. Some of them may come from requests, too. */
const operatorTable = merge(
  knowledge.commands,
  loyalty.commands,
  scheduling.commands,
  cannedResponses.commands,
  historyImports.commands,
  deployments.commands,
)
/** Tables of refreshes, in their order of execution. */
const refreshTables = [tokens, limits, broadcasts, channels, templates, definitions].map(({ refreshes }) => refreshes)
const receiverTable = merge(
  tokens.receivers,
  limits.receivers,
  channels.receivers,
  templates.receivers,
  messages.receivers,
  contacts.receivers,
  contactMerges.receivers,
  broadcasts.receivers,
  webhooks.receivers,
  knowledgeImports.receivers,
  bulkActions.receivers,
  mediaFetches.receivers,
  historyImports.receivers,
  dataRights.receivers,
  loyalty.receivers,
  scheduling.receivers,
  snoozes.receivers,
  tickets.receivers,
  threads.receivers,
  scheduledMessages.receivers,
  unreadMail.receivers,
  assistantAnswers.receivers,
  assistants.receivers,
  conversations.receivers,
  { inbound: receiveInbound(inboundItems), refresh: receiveRefreshes(refreshTables) },
)

export type CommandTable = typeof commandTable
export type OperatorTable = typeof operatorTable
export type ChangeTable = typeof changeTable
export type ReceiverTable = typeof receiverTable
export type RefreshTable = (typeof refreshTables)[number]

/** Every command of an API request, by its type. */
export const commands: Commands = new Map(Object.entries(commandTable))

/** The receiver of every message, by its type. */
export const receivers: ReadonlyMap<string, Receiver<object, unknown>> = new Map(
  Object.entries({
    ...receiverTable,
    request: receiveRequests(commands),
    operate: receiveOperators(new Map<string, Command<{ type: string }>>(Object.entries(operatorTable))),
    conclude: receiveConclusions(new Map(Object.entries(changeTable))),
  }),
)
