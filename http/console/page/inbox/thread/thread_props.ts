import type { Console } from '../../core/console.ts'
import type { Project } from '../../data/project.ts'
import type { Inbox } from '../inbox.ts'
import type { Thread } from './conversation/thread.ts'

/**
 * Props of the parts of a thread.
 *
 * `thread` (`thread/conversation/thread.ts`) has the signals `ticket` and `contact`: the records as the API answers them, undefined until they
 * are known. `project.records.change` shows a change at once and takes it back when it is refused. `thread.outgoing.send(request)`
 * sends a message and `thread.outgoing.writeNote(content, fields)` writes a note; both show it at once, and a failure with a Retry
 * in the thread. `inbox.opening` says what the agent asked the composer for by a key or in the menu of a message; the composer takes
 * it.
 */
export type ThreadProps = {
  console: Console
  project: Project
  inbox: Inbox
  thread: Thread
  message_id?: string | undefined
}
