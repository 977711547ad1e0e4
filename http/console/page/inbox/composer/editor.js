/** The field of a reply or a note, with what belongs to it: the quoted message, files, suggestions, the tools, sending. */
import { html } from 'htm/preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { preferences } from '../../app/preferences.js'
import { useElement } from '../../ui/hooks.js'
import { nameOfChannel } from '../channel.js'
import { lengthOf } from './channel_rules.js'
import { Collision } from './collision.js'
import { useDrop } from './drop.js'
import { FileStrip } from './file_strip.js'
import { LateNote } from './notices.js'
import { QuoteBar } from './quote_bar.js'
import { SendButton } from './send_button.js'
import { Suggestions, useSuggestions } from './suggestions.js'
import { Tools } from './tools.js'

/** @typedef {import('./mod.js').ComposeProps} ComposeProps */

/** Characters of a note. */
const MAX_NOTE = 5000
/** Pixels; the field scrolls beyond. */
const MAX_HEIGHT = 240
/** The part of the limit from which on the length is shown. */
const NEAR_LIMIT = 0.8

/**
 * `is_late`: the window is closed, and the channel has no templates.
 *
 * @param {ComposeProps & { is_late?: boolean }} props
 */
export function Editor({ is_late = false, ...props }) {
  const { compose, project } = props
  const field = /** @type {import('preact').RefObject<HTMLTextAreaElement>} */ (useElement())
  const mode = compose.mode.value
  const is_reply = mode === 'reply'
  const { text } = compose
  const limit = useLimit(compose)
  const [is_warned, setWarned] = useState(false)
  const others = is_reply ? compose.answersOfOthers() : []
  const suggestions = useSuggestions({ ...props, field })
  const { is_dropping } = useDrop(field, is_reply, (files) => compose.files.add(files))
  useHeight(field, text)
  useFocus(field, compose)
  useEffect(() => setWarned(false), [others.length])

  const reason = reasonNotToSend(compose, limit)
  const send = (/** @type {boolean} */ is_sure) => {
    if (reason !== null) return
    if (others.length > 0 && !is_warned && !is_sure) return setWarned(true)
    setWarned(false)
    void compose.send()
    field.current.focus()
  }
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    if (event.isComposing || suggestions.press(event)) return
    const { key, ctrlKey, metaKey, shiftKey } = event
    const is_mod = ctrlKey || metaKey
    if (key === 'Enter' && (is_mod || (enterSends() && !shiftKey))) {
      event.preventDefault()
      send(is_mod && is_warned)
    } else if (key === 'Escape') {
      if (is_warned) setWarned(false)
      else if (is_reply && compose.quote.peek()) compose.answer(null)
      else field.current.blur()
    }
  }
  /** @param {ClipboardEvent} event */
  const pasted = (event) => {
    const files = [...(event.clipboardData?.files ?? [])]
    if (!is_reply || files.length === 0) return
    event.preventDefault()
    compose.files.add(files)
  }
  const label = is_reply ? 'Reply' : 'Note'
  const others_text = is_warned ? others : []
  const keepEditing = () => {
    setWarned(false)
    field.current.focus()
  }
  return html`<div class="composer-body ${is_dropping ? 'is-dropping' : ''}">
    ${is_late && html`<${LateNote} />`} ${is_reply && html`<${Collision} ...${props} others=${others} onSeen=${() => field.current.focus()} />`}
    ${
      others_text.length > 0 &&
      html`<div class="composer-bar is-wary" role="alert">
        <span>Somebody answered after you began to write. Send yours as well?</span>
        <button type="button" class="link" onClick=${() => send(true)}>Send anyway</button>
        <button type="button" class="link" onClick=${keepEditing}>Keep editing</button>
      </div>`
    }
    ${is_reply && html`<${QuoteBar} ...${props} />`}
    <div class="composer-field">
      <textarea
        ref=${field}
        rows="1"
        aria-label=${label}
        placeholder=${placeholderOf(compose, project)}
        value=${text}
        aria-invalid=${limit.is_over ? 'true' : undefined}
        ...${suggestions.attributes}
        onInput=${(/** @type {{ target: HTMLTextAreaElement }} */ { target }) => {
          compose.write(target.value)
          suggestions.look()
        }}
        onKeyDown=${pressed}
        onKeyUp=${suggestions.look}
        onClick=${suggestions.look}
        onFocus=${suggestions.look}
        onBlur=${suggestions.close}
        onPaste=${pasted}
      ></textarea>
      <${Suggestions} ...${suggestions} />
    </div>
    ${is_reply && html`<${FileStrip} files=${compose.files} onRemoved=${() => field.current.focus()} />`}
    <div class="composer-tools">
      <${Tools} ...${props} field=${field} suggest=${suggestions.begin} />
      <${DraftState} compose=${compose} />
      ${limit.is_near && html`<span class="composer-count ${limit.is_over ? 'is-over' : ''}" role="status">${limit.left}<span class="aside"> ${limit.is_over ? 'over the limit' : 'left'}</span></span>`}
      <${SendButton} ...${props} reason=${reason} onSend=${() => send(false)} />
    </div>
    ${is_dropping && html`<p class="composer-drop" aria-hidden="true">Drop the files to attach them</p>`}
  </div>`
}

/** True when Enter alone sends; on phones it makes a new line. */
function enterSends() {
  return preferences.peek().enter_sends && !matchMedia('(pointer: coarse)').matches
}

/**
 * @param {import('./compose.js').Compose} compose
 */
function useLimit(compose) {
  const is_reply = compose.mode.value === 'reply'
  const { most, unit } = (is_reply && compose.channel.value.channel?.composing.text_limit) || {
    most: is_reply ? 4096 : MAX_NOTE,
    unit: /** @type {const} */ ('characters'),
  }
  const left = most - lengthOf(compose.text, unit)
  return { left, most, unit, is_over: left < 0, is_near: left < most * (1 - NEAR_LIMIT) }
}

/**
 * Why nothing can be sent now, for people; an empty text when there is nothing to send; null when it can.
 *
 * @param {import('./compose.js').Compose} compose
 * @param {ReturnType<typeof useLimit>} limit
 */
function reasonNotToSend(compose, { is_over, most, unit }) {
  if (is_over) return `The text is longer than ${most} ${unit}.`
  if (!compose.is_filled) return ''
  if (compose.mode.value === 'note') return null
  if (compose.files.is_uploading) return 'The files are still being uploaded.'
  if (compose.files.has_failed) return 'Remove the files that cannot be sent, or try them again.'
  return compose.thread.contact.value ? null : 'The contact is still being loaded.'
}

/**
 * @param {import('./compose.js').Compose} compose
 * @param {import('../../data/project.js').Project} project
 */
function placeholderOf(compose, project) {
  if (compose.mode.value === 'note') return 'Write a note. @ mentions a colleague.'
  const contact = compose.thread.contact.value
  const channel = contact ? ` (${nameOfChannel(contact.channel_type)})` : ''
  return project.definitions.value ? `Write a reply${channel}. / inserts a canned response.` : 'Write a reply.'
}

/**
 * @param {{ compose: import('./compose.js').Compose }} props
 */
function DraftState({ compose }) {
  const state = compose.saved.value
  if (!compose.is_filled || state === null) return html`<span class="composer-saved"></span>`
  const words = { saving: 'Saving…', saved: 'Saved', unsaved: 'Not saved' }
  return html`<span class="composer-saved faint" title="The draft, on all your devices">${words[state]}</span>`
}

/**
 * The field is as high as its text.
 *
 * @param {import('preact').RefObject<HTMLTextAreaElement>} field
 * @param {string} text
 */
function useHeight(field, text) {
  const fit = () => {
    const { current } = field
    if (!current) return
    current.style.height = 'auto'
    current.style.height = `${Math.min(MAX_HEIGHT, current.scrollHeight)}px`
    current.style.overflowY = current.scrollHeight > MAX_HEIGHT ? 'auto' : 'hidden'
  }
  useLayoutEffect(fit, [text])
  useEffect(() => {
    addEventListener('resize', fit)
    return () => removeEventListener('resize', fit)
  }, [])
}

/**
 * @param {import('preact').RefObject<HTMLTextAreaElement>} field
 * @param {import('./compose.js').Compose} compose
 */
function useFocus(field, compose) {
  const wanted = compose.focused.value
  const seen = useRef(0)
  useLayoutEffect(() => {
    if (wanted === seen.current) return
    seen.current = wanted
    field.current.focus()
    const end = field.current.value.length
    field.current.setSelectionRange(end, end)
  }, [wanted])
}
