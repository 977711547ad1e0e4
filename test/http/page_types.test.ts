/** The types that the pages are checked with, against the types of the server for the same records. */
import t from 'tap'
import type { VisitorInput } from '../../actors/providers/web/visitor_input.ts'
import type { VisitorMessage } from '../../actors/providers/web/visitor_message.ts'
import type {
  AgentNoteRecord,
  AppointmentRecord,
  CannedResponseRecord,
  DraftRecord,
  KnowledgeNodeRecord,
  NotificationRecord,
  SavedViewRecord,
  ScheduledMessageRecord,
} from '../../actors/records/mod.ts'
import type { Appointment, CalendarEntry } from '../../http/console/page/records/appointment.ts'
import type * as own from '../../http/console/page/records/inbox_records.ts'
import type { KnowledgeDocument } from '../../http/console/page/records/knowledge.ts'
import type * as records from '../../http/console/page/records/project_records.ts'
import type { ScheduledMessage } from '../../http/console/page/records/scheduled_message.ts'
import type { Session } from '../../http/console/page/records/session.ts'
import type { History } from '../../http/visitors/history.ts'
import type { Message, WaitingMessage } from '../../http/visitors/page/message.ts'
import type * as visitors from '../../http/visitors/page/protocol.ts'
import type { Refusal } from '../../http/visitors/refused.ts'
import type { AgentRecord, CalendarView, NotificationData } from '../../storage/mod.ts'

/** The type of a value after it went through JSON. */
type InJson<Value> = Value extends Date
  ? string
  : Value extends object
    ? { [Key in keyof Value]: InJson<Value[Key]> }
    : Value

/** True when each type can stand for the other, and neither has a field that the other lacks. */
type Same<One, Other> = [One, keyof One, Other, keyof Other] extends [Other, keyof Other, One, keyof One] ? true : false

type Fits<Told, Understood> = Told extends Understood ? true : false

type People = 'contact' | 'customer'

/** `true` does not fit its place when a type differs. */
const alike: {
  node: Same<keyof KnowledgeNodeRecord, keyof KnowledgeDocument>
  appointment: Same<keyof AppointmentRecord, keyof Appointment>
  calendar: Same<Pick<CalendarView, People>, Required<Pick<CalendarEntry, People>>>
  session: Same<InJson<AgentRecord & { expires_at: Date }>, Session>
  note: Same<keyof AgentNoteRecord, keyof records.Note>
  scheduled_message: Same<InJson<ScheduledMessageRecord>, ScheduledMessage>
  draft: Same<keyof DraftRecord, keyof own.Draft>
  canned_response: Same<InJson<CannedResponseRecord>, own.CannedResponse>
  view: Same<keyof SavedViewRecord, keyof own.SavedView>
  notification: Same<keyof NotificationRecord, keyof own.Notification>
  notification_types: Same<keyof NotificationData, own.Notification['type']>
  // The page knows the statuses and contents of messages more exactly.
  message: Same<Omit<VisitorMessage, 'status' | 'message'>, Omit<Message, 'status' | 'message'>>
  history: Same<keyof History, keyof visitors.HistoryPage>
  said: Same<VisitorInput, WaitingMessage['said']>
  refusal: Fits<Refusal, visitors.Refusal>
} = {
  node: true,
  appointment: true,
  calendar: true,
  session: true,
  note: true,
  scheduled_message: true,
  draft: true,
  canned_response: true,
  view: true,
  notification: true,
  notification_types: true,
  message: true,
  history: true,
  said: true,
  refusal: true,
}

t.test('the pages and the server have the same types of records', async (t) => {
  for (const [name, is_alike] of Object.entries(alike)) t.ok(is_alike, name)
})
