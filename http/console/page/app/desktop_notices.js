/** Notifications of the browser, where the agent wants them and this page is not in front; with a tone where wanted. */
import { inboxPlace } from '../inbox/places.js'
import { previewOf } from '../inbox/preview.js'
import { preferences } from './preferences.js'

/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../data/project.js').Project} Project */

const MOST_BODY = 200
/** Tones are at least this far apart. */
const QUIET_MS = 3_000
const TONE_HZ = 660
const TONE_S = 0.18
const TONE_VOLUME = 0.08

let toned_at = 0

/**
 * Tabs of the same agent show one together, because it has one tag.
 *
 * @param {{ title: string, body: string, tag: string, href: string | undefined }} notice
 */
export function showNotice({ title, body, tag, href }) {
  const { notify, sound, is_available } = preferences.peek()
  if (!notify || !is_available || !document.hidden || globalThis.Notification?.permission !== 'granted') return
  const notice = new Notification(title, { body: body.slice(0, MOST_BODY), tag })
  notice.onclick = () => {
    focus()
    if (href) location.hash = href.slice(href.indexOf('#'))
    notice.close()
  }
  if (sound) tone()
}

/**
 * A person wrote: whoever has the ticket is told, and everybody when nobody has it.
 *
 * @param {Project} project
 * @param {AnyRecord} message
 */
export function noticeOfMessage(project, { chat_user, type, message }) {
  /** @type {import('../inbox/inbox.js').Inbox | undefined} */
  const inbox = project.known('inbox')
  const row = inbox?.list.peek()?.rowOfContact(chat_user)?.peek()
  if (row?.assigned_to && row.assigned_to.id !== project.user._id) return
  const title = row?.contact.name ?? row?.contact.phone ?? 'New message'
  const href = row && inboxPlace(project.id, { view: 'all', ticket_id: row.ticket_id })
  showNotice({ title, body: previewOf(type, message), tag: `chat ${chat_user}`, href })
}

function tone() {
  if (Date.now() - toned_at < QUIET_MS) return
  toned_at = Date.now()
  const audio = new AudioContext()
  const volume = audio.createGain()
  volume.gain.setValueAtTime(TONE_VOLUME, audio.currentTime)
  volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + TONE_S)
  const wave = audio.createOscillator()
  wave.frequency.value = TONE_HZ
  wave.connect(volume).connect(audio.destination)
  wave.onended = () => void audio.close()
  wave.start()
  wave.stop(audio.currentTime + TONE_S)
}
