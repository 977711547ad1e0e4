/** The chat's window: its header, the messages, the state of the connection, and the line to write in. */
import type { Chat } from './bubble.ts'
import { Composer } from './composer.ts'
import type { Conversation } from './conversation.ts'
import { h, safeUrl } from './dom.ts'
import { icon } from './icons.ts'
import type { Options } from './options.ts'
import type { Agent } from './protocol.ts'
import type { Sound } from './sound.ts'
import { Thread } from './thread.ts'

type PanelOptions = Options & {
  conversation: Conversation
  sound: Sound
  close(): void
}

/** At this width the window fills the screen, and the page behind it cannot be reached. */
const NARROW = '(max-width: 480px)'
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
  #thread
  #composer
  #name
  #is_open = false

  constructor(options: PanelOptions) {
    this.#options = options
    const { root, launcher, words, conversation, title, greeting, position, is_page, close } = options
    this.#name = () => title || conversation.name || words.messages
    const chat: Chat = {
      conversation,
      words,
      name: () => conversation.agent?.name ?? this.#name(),
      say: (said, shown) => {
        conversation.say(said, shown)
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
    set(this.#subtitle, agent ? name : '')
    if (is_page && document.title !== name) document.title = name
    this.#showFace(agent)
    set(this.#typing, is_agent_typing ? words.typing(agent?.name ?? '') : '')
    set(this.#status, words.states[state === 'connected' && is_held ? 'held' : state] ?? '')
    this.#status.classList.toggle('shut', !canWrite)
    this.#allowWriting(canWrite)
    if (this.#is_open) this.#thread.render()
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
