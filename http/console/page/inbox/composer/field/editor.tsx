/** The field of a reply or a note, with what belongs to it: the quoted message, files, suggestions, the tools, sending. */

import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { nameOfChannel } from '../../../crm/channels.ts'
import { preferences } from '../../../data/preferences.ts'
import type { Project } from '../../../data/project.ts'
import { useElement } from '../../../ui/hooks.ts'
import { lengthOf } from '../channel_rules.ts'
import { Collision } from '../collision.tsx'
import type { Compose } from '../compose.ts'
import type { ComposeProps } from '../compose_props.ts'
import { useDrop } from '../files/drop.ts'
import { FileStrip } from '../files/file_strip.tsx'
import { LateNote } from '../notices.tsx'
import { SuggestedBar } from '../suggested/suggested_bar.tsx'
import { QuoteBar } from './quote_bar.tsx'
import { SendButton } from './send_button.tsx'
import { Suggestions, useSuggestions } from './suggestions.tsx'
import { Tools } from './tools.tsx'

/** Characters of a note. */
const MAX_NOTE = 5000
/** Pixels; the field scrolls beyond. */
const MAX_HEIGHT = 240
/** The part of the limit from which on the length is shown. */
const NEAR_LIMIT = 0.8

/** `is_late`: the window is closed, and the channel has no templates. */
export function Editor({ is_late = false, ...props }: ComposeProps & { is_late?: boolean }) {
  const { compose, project } = props
  const field = useElement<HTMLTextAreaElement>()
  const mode = compose.mode.value
  const is_reply = mode === 'reply'
  const { text } = compose
  const limit = useLimit(compose)
  const [is_warned, setWarned] = useState(false)
  const others = is_reply ? compose.answersOfOthers() : []
  const suggestions = useSuggestions({ ...props, field })
  const { is_dropping } = useDrop(field, mode, (files) => compose.files.add(files))
  useHeight(field, text)
  useFocus(field, compose)
  useEffect(() => setWarned(false), [others.length])

  const reason = reasonNotToSend(compose, limit)
  const send = (is_sure: boolean) => {
    if (reason !== null) return
    if (others.length > 0 && !is_warned && !is_sure) return setWarned(true)
    setWarned(false)
    void compose.send()
    field.current.focus()
  }
  const pressed = (event: KeyboardEvent) => {
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
  const pasted = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    compose.files.add(files)
  }
  const label = is_reply ? 'Reply' : 'Note'
  const others_text = is_warned ? others : []
  const keepEditing = () => {
    setWarned(false)
    field.current.focus()
  }
  return (
    <div class={`composer-body ${is_dropping ? 'is-dropping' : ''}`}>
      {is_late && <LateNote />}{' '}
      {is_reply && <Collision {...props} others={others} onSeen={() => field.current.focus()} />}
      {others_text.length > 0 && (
        <div class="composer-bar is-wary" role="alert">
          <span>Somebody answered after you began to write. Send yours as well?</span>
          <button type="button" class="link" onClick={() => send(true)}>
            Send anyway
          </button>
          <button type="button" class="link" onClick={keepEditing}>
            Keep editing
          </button>
        </div>
      )}
      {is_reply && <SuggestedBar compose={compose} />}
      {is_reply && <QuoteBar {...props} />}
      <div class="composer-field">
        <textarea
          ref={field}
          rows={1}
          aria-label={label}
          placeholder={placeholderOf(compose, project)}
          value={text}
          aria-invalid={limit.is_over ? 'true' : undefined}
          {...suggestions.attributes}
          onInput={({ currentTarget }) => {
            compose.write(currentTarget.value)
            suggestions.look()
          }}
          onKeyDown={pressed}
          onKeyUp={suggestions.look}
          onClick={suggestions.look}
          onFocus={suggestions.look}
          onBlur={suggestions.close}
          onPaste={pasted}
        ></textarea>
        <Suggestions {...suggestions} />
      </div>
      <FileStrip files={compose.files} onRemoved={() => field.current.focus()} />
      <div class="composer-tools">
        <Tools {...props} field={field} suggest={suggestions.begin} />
        <DraftState compose={compose} />
        {limit.is_near && (
          <span class={`composer-count ${limit.is_over ? 'is-over' : ''}`} role="status">
            {limit.left}
            <span class="aside"> {limit.is_over ? 'over the limit' : 'left'}</span>
          </span>
        )}
        <SendButton {...props} reason={reason} onSend={() => send(false)} />
      </div>
      {is_dropping && (
        <p class="composer-drop" aria-hidden="true">
          Drop the files to attach them
        </p>
      )}
    </div>
  )
}

/** True when Enter alone sends; on phones it makes a new line. */
function enterSends() {
  return preferences.peek().enter_sends && !matchMedia('(pointer: coarse)').matches
}

function useLimit(compose: Compose) {
  const is_reply = compose.mode.value === 'reply'
  const { most, unit } = (is_reply && compose.channel.value.channel?.composing.text_limit) || {
    most: is_reply ? 4096 : MAX_NOTE,
    unit: 'characters' as const,
  }
  const left = most - lengthOf(compose.text, unit)
  return { left, most, unit, is_over: left < 0, is_near: left < most * (1 - NEAR_LIMIT) }
}

/** Why nothing can be sent now, for people; an empty text when there is nothing to send; null when it can. */
function reasonNotToSend(compose: Compose, { is_over, most, unit }: ReturnType<typeof useLimit>) {
  if (is_over) return `The text is longer than ${most} ${unit}.`
  if (!compose.is_filled) return ''
  if (compose.files.is_uploading) return 'The files are still being uploaded.'
  if (compose.files.has_failed) return 'Remove the files that cannot be sent, or try them again.'
  if (compose.mode.value === 'note') return null
  return compose.thread.contact.value ? null : 'The contact is still being loaded.'
}

function placeholderOf(compose: Compose, project: Project) {
  if (compose.mode.value === 'note') return 'Write a note. @ mentions a colleague.'
  const contact = compose.thread.contact.value
  const channel = contact ? ` (${nameOfChannel(contact.channel_type)})` : ''
  return project.definitions.value ? `Write a reply${channel}. / inserts a canned response.` : 'Write a reply.'
}

function DraftState({ compose }: { compose: Compose }) {
  const state = compose.saved.value
  if (!compose.is_filled || state === null) return <span class="composer-saved"></span>
  const words = { saving: 'Saving…', saved: 'Saved', unsaved: 'Not saved' }
  return (
    <span class="composer-saved faint" title="The draft, on all your devices">
      {words[state]}
    </span>
  )
}

/** The field is as high as its text. */
function useHeight(field: RefObject<HTMLTextAreaElement>, text: string) {
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

function useFocus(field: RefObject<HTMLTextAreaElement>, compose: Compose) {
  const focus = compose.focused.value
  const seen = useRef(0)
  useLayoutEffect(() => {
    if (focus === seen.current) return
    seen.current = focus
    field.current.focus()
    const end = field.current.value.length
    field.current.setSelectionRange(end, end)
  }, [focus])
}
