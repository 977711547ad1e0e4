/** The tools below the field: files, other kinds of messages, emoji, canned responses. */
import { html } from 'htm/preact'
import { useActions } from '../../app/actions.js'
import { useElement } from '../../ui/hooks.js'
import { Icon } from '../../ui/icons.js'
import { lazy } from '../../ui/lazy.js'
import { Menu } from '../../ui/menu.js'
import { Popover } from '../../ui/popover.js'
import { FORMS, openForm } from './forms.js'
import { insertAt } from './triggers.js'

const Emoji = lazy(() => import('./emoji.js').then((module) => module.Emoji))

/** @type {readonly string[]} */
const FILES = ['image', 'video', 'audio', 'document', 'sticker']

/**
 * @param {import('./mod.js').ComposeProps & { field: import('preact').RefObject<HTMLTextAreaElement>, suggest(kind: '/' | '@'): void }} props
 */
export function Tools({ compose, field, suggest }) {
  /** @type {import('preact').RefObject<HTMLInputElement>} */
  const picker = useElement()
  const is_reply = compose.mode.value === 'reply'
  const composing = compose.channel.value.channel?.composing
  const types = composing?.message_types ?? {}
  const takes_files = FILES.some((type) => types[type])
  const forms = FORMS.filter(({ type }) => types[type])
  useActions(() => {
    if (!is_reply) return []
    return [
      { text: 'Attach files', group: 'Ticket', icon: 'attach', act: () => picker.current?.click() },
      ...forms.map(({ type, text, icon }) => ({
        text: `Insert: ${text}`,
        group: 'Ticket',
        icon,
        act: () => openForm(compose, type),
      })),
    ]
  }, [compose, is_reply, forms.length])
  /** @param {string} text */
  const insert = (text) => {
    const { selectionStart: start, selectionEnd: end, value } = field.current
    const inserted = insertAt(value, { start, end }, text)
    compose.write(inserted.text)
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(inserted.caret, inserted.caret)
    })
  }
  /** @param {{ target: HTMLInputElement }} event */
  const picked = ({ target }) => {
    compose.files.add([...(target.files ?? [])])
    target.value = ''
    field.current.focus()
  }
  return html`<div class="composer-tool-row">
    ${
      is_reply &&
      takes_files &&
      html`<button type="button" class="quiet icon-button" aria-label="Attach files" title="Attach files" onClick=${() => picker.current.click()}>
          <${Icon} name="attach" />
        </button>
        <input ref=${picker} type="file" class="aside" tabindex="-1" aria-label="Files" multiple accept=${composing?.file_types?.map(({ mime_type }) => mime_type).join(',')} onChange=${picked} />`
    }
    ${
      is_reply &&
      forms.length > 0 &&
      html`<${Menu}
        id="composer-insert"
        label="Insert"
        title="Insert a template, buttons, a location…"
        side="above"
        class="quiet icon-button"
        button=${html`<${Icon} name="plus" />`}
        items=${forms.map(({ type, text, icon }) => ({ text, icon, act: () => openForm(compose, type) }))}
      />`
    }
    <${Popover} id="composer-emoji" label="Emoji" title="Emoji" side="above" class="quiet icon-button" button=${html`<${Icon} name="smile" />`}>
      ${(/** @type {() => void} */ close) =>
        html`<${Emoji} onChoose=${(/** @type {string} */ emoji) => {
          close()
          insert(emoji)
        }} />`}
    <//>
    <button type="button" class="quiet icon-button" aria-label="Canned responses" title="Canned responses (/)" onClick=${() => suggest('/')}>
      <${Icon} name="message" />
    </button>
    ${
      !is_reply &&
      html`<button type="button" class="quiet icon-button composer-at" aria-label="Mention a colleague" title="Mention a colleague (@)" onClick=${() => suggest('@')}>@</button>`
    }
  </div>`
}
