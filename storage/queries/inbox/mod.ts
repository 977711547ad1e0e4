export {
  type BoardCard,
  type BoardColumn,
  type BoardFilter,
  type BoardTotal,
  MAX_COUNTED,
  readBoard,
  readBoardTotals,
} from './board.ts'
export { countInbox, type InboxCount, MAX_TICKETS, MAX_UNREAD_TICKETS } from './counts.ts'
export {
  type DraftPlace,
  findDraft,
  isEmptyDraft,
  listDrafts,
  readDrafts,
} from './drafts.ts'
export {
  type InboxFilter,
  type InboxRow,
  type InboxSort,
  type InboxView,
  listInbox,
  MAX_UNREAD,
} from './inbox.ts'
export {
  listNotifications,
  type NotificationView,
  readUnreadIds,
} from './notifications.ts'
export { type AskedMark, type FoundMark, readAskedMarks } from './read_marks.ts'
export {
  countSavedViews,
  listSavedViews,
  MAX_VIEW_TICKETS,
  readSavedViews,
} from './saved_views.ts'
