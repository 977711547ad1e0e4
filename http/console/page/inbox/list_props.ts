import type { Project } from '../data/project.ts'
import type { InboxFilter } from '../records/inbox.ts'
import type { Inbox } from './inbox.ts'
import type { InboxList } from './inbox_list.ts'

export type ListProps = {
  project: Project
  inbox: Inbox
  list: InboxList
  view: string
  filter: InboxFilter
  ticket_id: string | undefined
}
