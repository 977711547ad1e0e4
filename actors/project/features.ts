/** All features of the project actor. Only this file knows them all, and none of them knows it. */
import { broadcasts } from './broadcasts/feature.ts'
import { channels } from './channels/feature.ts'
import { contacts } from './contacts/feature.ts'
import { definitions } from './definitions/feature.ts'
import { events } from './events/feature.ts'
import { flows } from './flows/feature.ts'
import { receiveInbound } from './inbound/receive_inbound.ts'
import { limits } from './limits/feature.ts'
import { messages } from './messages/feature.ts'
import { notes } from './notes/feature.ts'
import { receiveRefreshes } from './refreshes/refresh.ts'
import { type Commands, receiveRequests } from './requests/handle_request.ts'
import { receiveConclusions } from './requests/operations.ts'
import { templates } from './templates/feature.ts'
import { tickets } from './tickets/feature.ts'
import { tokens } from './tokens/feature.ts'
import { webhooks } from './webhooks/feature.ts'

const commandTable = {
  ...tokens.commands,
  ...messages.commands,
  ...contacts.commands,
  ...tickets.commands,
  ...events.commands,
  ...notes.commands,
  ...webhooks.commands,
}

const changeTable = { ...flows.changes, ...broadcasts.changes, ...messages.changes }

const inboundItems = { ...messages.inbound, ...channels.inbound, ...templates.inbound, ...flows.inbound }

/** In this order each is told of what the operator changed. */
const refreshTables = [tokens, limits, channels, templates, definitions].map(({ refreshes }) => refreshes)

const messageTable = {
  ...limits.messages,
  ...channels.messages,
  ...templates.messages,
  ...messages.messages,
  ...broadcasts.messages,
  ...webhooks.messages,
}

/** What the command of a request is. */
export type CommandTable = typeof commandTable
/** What a conclusion changes. */
export type ChangeTable = typeof changeTable
/** What the actor receives beside requests and conclusions. */
export type ReceiverTable = typeof receivers

export const commands: Commands = new Map(Object.entries(commandTable))

const receivers = {
  ...messageTable,
  inbound: receiveInbound(inboundItems),
  refresh: receiveRefreshes(refreshTables),
}

/** What the actor does with each message, by its type. */
export const allReceivers = {
  ...receivers,
  request: receiveRequests(commands),
  conclude: receiveConclusions(new Map(Object.entries(changeTable))),
}
