/** The types of the web chat's page, against those of the server. The socket has no description to generate them from. */
import t from 'tap'
import type { VisitorInput } from '../../actors/providers/web/visitor_input.ts'
import type { VisitorMessage } from '../../actors/providers/web/visitor_message.ts'
import type { History } from '../../http/visitors/history.ts'
import type * as visitors from '../../http/visitors/page/connection/protocol.ts'
import type { Message, WaitingMessage } from '../../http/visitors/page/messages/message.ts'
import type { Refusal } from '../../http/visitors/refused.ts'

/** True when each type can stand for the other, and neither has a field that the other lacks. */
type Same<One, Other> = [One, keyof One, Other, keyof Other] extends [Other, keyof Other, One, keyof One] ? true : false

type Fits<Told, Understood> = Told extends Understood ? true : false

/** `true` does not fit its place when a type differs. */
const alike: {
  // The page knows the statuses and contents of messages more exactly.
  message: Same<Omit<VisitorMessage, 'status' | 'message'>, Omit<Message, 'status' | 'message'>>
  history: Same<keyof History, keyof visitors.HistoryPage>
  said: Same<VisitorInput, WaitingMessage['said']>
  refusal: Fits<Refusal, visitors.Refusal>
} = {
  message: true,
  history: true,
  said: true,
  refusal: true,
}

t.test('the page of the web chat and the server have the same types', async (t) => {
  for (const [name, is_alike] of Object.entries(alike)) t.ok(is_alike, name)
})
