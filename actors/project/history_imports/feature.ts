/**
 * The history of a phone: messages and names from before it was paired with the account.
 *
 *  H1 A call of the provider is cut into parts, which are stored before it is answered. A durable timer brings the project's
 *     next owner to them, so none is forgotten, whoever dies when.
 *  H2 Parts are stored in turns of about a hundred messages, which make room for messages that arrive. The turn that stores
 *     a part deletes it and counts it, so each is stored once.
 *  H3 A message is there once, by the provider's id, whether it comes live, in the history or in both. One that comes live
 *     after it was imported has the effects of a live one then, once.
 *  H4 An imported message has its own time and author. It opens no ticket and no window, waits for nobody, says nothing
 *     about consent, and emits no event unless the import was asked for with webhooks.
 *  H5 Providers take the request once in the life of a pairing. Two requests at once are one.
 */
import type { Feature } from '../turn/feature.ts'
import { beginHistoryImport } from './begin_history_import.ts'
import { endHistoryRequest } from './end_history_request.ts'
import { historyReceived } from './history_received.ts'
import { historySlice } from './history_slice.ts'
import { runHistoryImports } from './run_history_imports.ts'

export const historyImports = {
  commands: { begin_history_import: beginHistoryImport, end_history_request: endHistoryRequest },
  inbound: { history: historyReceived },
  receivers: { history_slice: historySlice, run_history_imports: runHistoryImports },
} satisfies Feature
