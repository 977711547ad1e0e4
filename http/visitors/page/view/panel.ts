/** The chat's window: its header, the messages, the state of the connection, and the line to write in. */

import type { Agent } from '../connection/protocol.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Options } from '../options.ts'
import type { Chat } from './bubble.ts'
import { Composer } from './composer.ts'
import { h, safeUrl } from './dom.ts'
import { EmailForm } from './email.ts'
import { icon } from './icons.ts'
import type { Sound } from './sound.ts'
import { Thread } from './thread.ts'

type PanelOptions = Options & {
  conversation: Conversation
  sound: Sound
  close(): void
}

/** At this width the window fills the screen, and the page behind it cannot be reached. */
const NARROW = '(max-width: 480px)'
/** A visitor who has waited for so long is asked for an e-mail address. */
const PATIENCE_MS = 60_000
const FOCUSABLE = 'button, a[href], textarea, input, summary, audio, video, [tabindex="0"]'

export class Panel {
  #options
  #window
  #face
  #title
  #subtitle
  #mute
  #typing
  #status
  #email
  #thread
  #composer
  #name
  #is_open = false
  #patience: ReturnType<typeof setTimeout> | undefined

  constructor(options: PanelOptions) {
    this.#options = options
    const { root, launcher, words, conversation, title, greeting, position, is_page, close } = options
    this.#name = () => title || conversation.name || words.messages
    const chat: Chat = {
      conversation,
      words,
      name: () => conversation.agent?.name ?? this.#name(),
      say: (said, content) => {
        conversation.say(said, content)
        if (said.type !== 'reaction') this.#thread.toEnd()
      },
    }
    this.#face = h('span', { class: 'face', 'aria-hidden': 'true' })
    this.#title = h(is_page ? 'h1' : 'h2', { id: 'title', dir: 'auto' })
    this.#subtitle = h('p', { class: 'subtitle', dir: 'auto' })
    this.#mute = h('button', {
      type: 'button',
      class: 'plain',
      'aria-label': words.mute,
      onclick: () => this.#toggleSound(),
    })
    const close_button = h(
      'button',
      { type: 'button', class: 'plain', 'aria-label': words.close, hidden: is_page, onclick: close },
      icon('close'),
    )
    this.#thread = new Thread(chat, greeting ?? words.greeting)
    this.#typing = h('p', { class: 'typing', role: 'status', hidden: true })
    this.#email = new EmailForm(conversation, words.email)
    this.#status = h('p', { class: 'status', role: 'status', hidden: true })
    this.#composer = new Composer(chat, () => this.#thread.toEnd())
    this.#window = h(
      is_page ? 'main' : 'section',
      { id: 'window', class: 'window', role: is_page ? undefined : 'dialog', 'aria-labelledby': 'title', hidden: true },
      // A banner is one of the page's own.
      h(
        'header',
        { role: 'none' },
        this.#face,
        h('div', { class: 'names' }, this.#title, this.#subtitle),
        this.#mute,
        close_button,
      ),
      this.#thread.element,
      this.#typing,
      this.#email.element,
      this.#status,
      this.#composer.element,
    )
    this.#window.addEventListener('keydown', (event) => this.#key(event))
    this.#takeDrops(h('p', { class: 'drop', 'aria-hidden': 'true' }, words.drop))
    const classes = ['root', is_page && 'page', position === 'left' && 'left'].filter(Boolean).join(' ')
    root.insertBefore(h('div', { class: classes, lang: words.language, dir: 'ltr' }, this.#window), launcher)
    launcher.setAttribute('aria-controls', 'window')
    document.addEventListener('visibilitychange', () => this.#watch())
    this.#showSound()
    this.render()
  }

  /** Opens or closes the window. The keyboard follows only when the visitor has done it. */
  toggle(open: boolean, focus: boolean) {
    this.#is_open = open
    this.#window.hidden = !open
    const is_modal = open && !this.#options.is_page && matchMedia(NARROW).matches
    if (is_modal) this.#window.setAttribute('aria-modal', 'true')
    else this.#window.removeAttribute('aria-modal')
    this.render()
    if (open) {
      this.#thread.toEnd()
      if (focus) this.#focus()
    }
    this.#watch()
  }

  render() {
    const { conversation, words, is_page } = this.#options
    const { state, is_held, canWrite, agent, is_agent_typing } = conversation
    const name = this.#name()
    set(this.#title, agent?.name ?? name)
    set(this.#subtitle, [agent ? name : '', this.#hours()].filter(Boolean).join(' · '))
    if (is_page && document.title !== name) document.title = name
    this.#showFace(agent)
    set(this.#typing, is_agent_typing ? words.typing(agent?.name ?? '') : '')
    set(this.#status, words.states[state === 'connected' && is_held ? 'held' : state] ?? '')
    this.#status.classList.toggle('shut', !canWrite)
    this.#allowWriting(canWrite)
    this.#askForEmail()
    if (this.#is_open) this.#thread.render()
  }

  /** Whether people are here now. The clock decides between two words of the server. */
  get #is_staffed() {
    const { availability } = this.#options.conversation
    if (!availability) return undefined
    const { is_open, changes_at } = availability
    return changes_at !== null && new Date(changes_at).getTime() <= Date.now() ? !is_open : is_open
  }

  #hours() {
    const { conversation, words } = this.#options
    const { availability, canWrite } = conversation
    if (!availability || !canWrite) return ''
    const { changes_at, is_open, replies_in_s } = availability
    if (this.#is_staffed) return replies_in_s === null ? '' : words.repliesIn(replies_in_s)
    return words.back(is_open || changes_at === null ? null : new Date(changes_at))
  }

  /** Nobody waits in vain: where nobody is here at once, else after a minute. */
  #askForEmail() {
    const { conversation } = this.#options
    clearTimeout(this.#patience)
    const waited_ms = Date.now() - conversation.waiting_since
    this.#email.render(this.#is_staffed === false || waited_ms >= PATIENCE_MS)
    if (waited_ms >= 0 && waited_ms < PATIENCE_MS)
      this.#patience = setTimeout(() => this.render(), PATIENCE_MS - waited_ms)
  }

  #showFace(agent: Agent | null) {
    const { avatar, base } = this.#options
    const photo = agent?.photo_url ? new URL(agent.photo_url, base).href : avatar
    const src = agent && !agent.photo_url ? undefined : safeUrl(photo)
    const form = src ?? agent?.name ?? ''
    if (this.#face.dataset.form === form) return
    this.#face.dataset.form = form
    const initial = [...(agent?.name ?? '')][0]?.toUpperCase()
    this.#face.replaceChildren(src ? h('img', { src, alt: '' }) : (initial ?? icon('person')))
  }

  /** Where nothing can be sent there is nothing to write in: the status says why. */
  #allowWriting(may: boolean) {
    const form = this.#composer.element
    if (form.hidden === !may) return
    const had_focus = form.contains(this.#options.root.activeElement)
    form.hidden = !may
    if (had_focus) this.#thread.element.focus()
  }

  #focus() {
    if (this.#composer.element.hidden) this.#thread.element.focus()
    else this.#composer.focus()
  }

  #key(event: KeyboardEvent) {
    const { is_page, close } = this.#options
    if (is_page) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      close()
    } else if (event.key === 'Tab' && this.#window.hasAttribute('aria-modal')) this.#keepFocus(event)
  }

  /** The page behind a window that fills the screen is not reached by the keyboard. */
  #keepFocus(event: KeyboardEvent) {
    const all: HTMLElement[] = [...this.#window.querySelectorAll(FOCUSABLE)].filter((one) => one instanceof HTMLElement)
    const usable = all.filter((one) => one.checkVisibility() && !one.matches(':disabled'))
    const edge = event.shiftKey ? usable[0] : usable.at(-1)
    const other = event.shiftKey ? usable.at(-1) : usable[0]
    if (this.#options.root.activeElement !== edge) return
    event.preventDefault()
    other?.focus()
  }

  /**
   * Files may be dropped on the window.
   * @param hint Shown while they are above it.
   */
  #takeDrops(hint: HTMLElement) {
    hint.hidden = true
    this.#window.append(hint)
    const { conversation } = this.#options
    const hasFiles = ({ dataTransfer }: DragEvent) => conversation.canWrite && dataTransfer?.types.includes('Files')
    this.#window.addEventListener('dragover', (event) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      hint.hidden = false
    })
    this.#window.addEventListener('dragleave', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && this.#window.contains(relatedTarget))) hint.hidden = true
    })
    this.#window.addEventListener('drop', (event) => {
      hint.hidden = true
      if (!hasFiles(event)) return
      event.preventDefault()
      this.#composer.sendFiles(event.dataTransfer?.files)
    })
  }

  #toggleSound() {
    this.#options.sound.mute()
    this.#showSound()
  }

  #showSound() {
    const { is_muted } = this.#options.sound
    this.#mute.setAttribute('aria-pressed', String(is_muted))
    this.#mute.replaceChildren(icon(is_muted ? 'muted' : 'sound'))
  }

  #watch() {
    this.#options.conversation.watch(this.#is_open && document.visibilityState === 'visible')
  }
}

/** Screen readers repeat a text that is written again. An empty element is hidden. */
function set(element: HTMLElement, text: string) {
  if (element.textContent !== text) element.textContent = text
  element.hidden = text === ''
}
