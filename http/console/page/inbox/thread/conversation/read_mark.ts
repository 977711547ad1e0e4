/** How far the agent has read a ticket, as the server gets to know it. No DOM. */
import type { ProjectApi } from '../../../data/project_api.ts'
import { markRead, markUnread } from './requests.ts'

/** Sends one mark after the other: requests overtake each other, and the last mark counts. */
export class ReadMark {
  #api
  #ticket_id
  #last: Promise<unknown> = Promise.resolve()

  constructor(api: Pick<ProjectApi, 'post' | 'delete'>, ticket_id: string) {
    this.#api = api
    this.#ticket_id = ticket_id
  }

  read() {
    return this.#send(() => markRead(this.#api, this.#ticket_id))
  }

  unread() {
    return this.#send(() => markUnread(this.#api, this.#ticket_id))
  }

  #send(mark: () => Promise<unknown>) {
    const sent = this.#last.then(mark, mark)
    this.#last = sent
    return sent
  }
}
