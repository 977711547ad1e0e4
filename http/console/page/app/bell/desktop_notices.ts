/** Notifications of the browser while this page is not in front, and a tone, each where the agent wants it. */

import { inboxPlace, inboxPlaceOf } from '../../crm/inbox_places.ts'
import { wordsOf } from '../../crm/preview.ts'
import { placeOf } from '../../data/places.ts'
import { preferences } from '../../data/preferences.ts'
import type { Project } from '../../data/project.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import type { AnyRecord } from '../../records/record.ts'
import { personName } from '../../ui/format/format.ts'
import { tone } from './tone.ts'

const MAX_BODY = 200

/**
 * Tabs of the same agent show one together, because it has one tag. The tone needs no notification: it comes while the
 * page is in front, too, unless `ticket_id` is what it shows.
 */
export function showNotice({
  title,
  body,
  tag,
  href,
  ticket_id,
}: {
  title: string
  body: string
  tag: string
  href: string | undefined
  ticket_id?: string | null | undefined
}) {
  const { notify, sound, is_available } = preferences.peek()
  if (!is_available) return
  if (sound && !isInFront(ticket_id)) tone()
  if (!notify || !document.hidden || globalThis.Notification?.permission !== 'granted') return
  const notice = new Notification(title, { body: body.slice(0, MAX_BODY), tag })
  notice.onclick = () => {
    focus()
    if (href) location.hash = href.slice(href.indexOf('#'))
    notice.close()
  }
}

let is_asking = false

/** A person wrote: whoever has the ticket is told, and everybody when nobody has it. */
export async function noticeOfMessage(project: Project, message: AnyRecord) {
  const { chat_user } = message
  const { notify, sound, is_available } = preferences.peek()
  // One is enough to call the agent.
  if (!is_available || is_asking || !(sound || (notify && document.hidden))) return
  is_asking = true
  const ticket = await ticketOf(project, chat_user)
  is_asking = false
  if (ticket?.assigned_to && ticket.assigned_to !== project.user._id) return
  const { ticket_id, name } = ticket ?? {}
  const href = ticket_id && inboxPlace(project.id, { view: 'all', ticket_id })
  showNotice({
    title: name ?? 'New message',
    body: wordsOf(message),
    tag: `chat ${chat_user}`,
    href,
    ticket_id,
  })
}

/** The open ticket of a person, by the list of the inbox where that is there. */
async function ticketOf(
  project: Project,
  chat_user: string,
): Promise<{ ticket_id: string; assigned_to: string | undefined; name: string | undefined } | undefined> {
  const inbox: Inbox | undefined = project.known('inbox')
  const row = inbox?.list.peek()?.rowOfContact(chat_user)?.peek()
  if (row) {
    const { ticket_id, assigned_to, contact } = row
    return { ticket_id, assigned_to: assigned_to?.id, name: personName(contact) || undefined }
  }
  try {
    const { data } = await project.api.get('crm/tickets', { chat_user, is_closed: false, limit: 1 })
    const [ticket] = data
    return (
      ticket && { ticket_id: ticket._id, assigned_to: ticket.assigned_to ?? undefined, name: ticket.chat_user_name }
    )
  } catch {
    return undefined
  }
}

function isInFront(ticket_id: string | null | undefined) {
  if (document.hidden || !ticket_id) return false
  const place = placeOf(location.hash)
  return place.section === 'inbox' && inboxPlaceOf(place).ticket_id === ticket_id
}
