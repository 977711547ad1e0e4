/** The line in which the visitor writes. */
import type { Chat } from './bubble.ts'
import { h } from './dom.ts'
import { icon } from './icons.ts'

/** The tallest the text grows, in lines. */
const MAX_LINES = 5
/** Types that the file chooser offers. The server decides by the bytes. */
const ACCEPTED = 'image/*,video/*,audio/*,.pdf,.doc,.docx,.xls,.xlsx,.ppt,.pptx,.odt,.ods,.odp,.txt,.csv'

export class Composer {
  element
  #chat
  #text
  #sent

  /** `sent()` is called after files were sent. */
  constructor(chat: Chat, sent: () => void) {
    this.#chat = chat
    this.#sent = sent
    const { words } = chat
    this.#text = h('textarea', {
      id: 'text',
      rows: '1',
      maxlength: '4096',
      placeholder: words.write,
      autocomplete: 'off',
      enterkeyhint: 'send',
      dir: 'auto',
    })
    this.#text.addEventListener('keydown', (event) => this.#key(event))
    this.#text.addEventListener('input', () => this.#written())
    this.#text.addEventListener('paste', (event) => this.#take(event, event.clipboardData?.files))
    const chooser = h('input', { type: 'file', multiple: true, hidden: true, tabindex: '-1', accept: ACCEPTED })
    chooser.addEventListener('change', () => {
      this.sendFiles(chooser.files)
      chooser.value = ''
    })
    const attach_button = h(
      'button',
      { type: 'button', class: 'attach', 'aria-label': words.attach, onclick: () => chooser.click() },
      icon('attach'),
    )
    const send_button = h('button', { type: 'submit', class: 'send', 'aria-label': words.send }, icon('send'))
    this.element = h(
      'form',
      {},
      chooser,
      attach_button,
      h('label', { class: 'hidden', for: 'text' }, words.write),
      this.#text,
      send_button,
    )
    this.element.addEventListener('submit', (event) => {
      event.preventDefault()
      this.#send()
    })
  }

  focus() {
    this.#text.focus()
  }

  sendFiles(files: Iterable<File> | null | undefined) {
    for (const file of files ?? []) this.#chat.conversation.sendFile(file)
    this.#sent()
  }

  /** Text is pasted by the browser. */
  #take(event: Event, files: FileList | undefined) {
    if (!files?.length) return
    event.preventDefault()
    this.sendFiles(files)
  }

  #key(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    this.#send()
  }

  #written() {
    this.#grow()
    this.#chat.conversation.typing(this.#text.value.trim() !== '')
  }

  #send() {
    const body = this.#text.value.trim()
    if (body === '' || !this.#chat.conversation.canWrite) return
    this.#text.value = ''
    this.#grow()
    this.#chat.say({ type: 'text', body }, { type: 'text', body })
  }

  #grow() {
    this.#text.rows = Math.min(MAX_LINES, this.#text.value.split('\n').length)
  }
}
