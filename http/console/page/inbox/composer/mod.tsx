/**
 * The composer below a thread: the reply to the person, and notes for colleagues.
 *
 * `compose.ts` has what is written, `channel_rules.ts` the rules of the channel. What is needed now and then (forms,
 * templates, canned responses, sending later) is loaded when it is first asked for.
 */

import type { TargetedEvent } from 'preact'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { useClock } from '../../ui/hooks.ts'
import { lazy } from '../../ui/lazy.tsx'
import { Icon, type IconName } from '../../ui/pictures/icons.tsx'
import type { Inbox } from '../inbox.ts'
import type { ThreadProps } from '../thread/thread_props.ts'
import { AssistantBar } from './assistant_bar.tsx'
import { managed } from './canned/canned_place.ts'
import { windowOf } from './channel_rules.ts'
import type { Compose } from './compose.ts'
import type { ComposeProps, ReplyWindow } from './compose_props.ts'
import { Composers } from './composers.ts'
import { Editor } from './field/editor.tsx'
import { open_form, VIEWS, withFormStyles } from './forms.ts'
import { HolderBar } from './holder_bar.tsx'
import { later } from './later/later.ts'
import { ClosedTicket, ClosedWindow, WindowLeft } from './notices.tsx'
import { useReplying } from './replying.ts'

const Scheduled = lazy(() => import('./later/scheduled.tsx').then((module) => module.Scheduled))

const LaterDialog = lazy(() => import('./later/later_dialog.tsx').then((module) => module.LaterDialog))
const CannedDialog = withFormStyles(() => import('./canned/canned_dialog.tsx').then((module) => module.CannedDialog))

/** The window of a reply is looked at this often, so that it closes in time. */
const LOOK_MS = 15_000

export function Composer({ project, inbox, thread }: ThreadProps) {
  const composers = project.part('composers', () => new Composers(project))
  const compose = useMemo(() => composers.of(thread), [composers, thread])
  const mode = compose.mode.value
  const { channel, choices } = compose.channel.value
  const contact = thread.contact.value
  const ticket = thread.ticket.value
  const now = useClock(true, LOOK_MS)
  const reply_window = windowOf(channel?.composing, contact?.windows ?? [], channel?._id, now)
  const props = { project, inbox, thread, compose }
  useEffect(() => project.define(), [project])
  useOpening(inbox, compose)
  useFlush(compose)
  useReplying(props)
  if (!ticket) return null
  const is_reply = mode === 'reply'
  return (
    <section class={`composer ${is_reply ? '' : 'is-note'}`} aria-label="Composer">
      <Scheduled {...props} />
      <div class="composer-head">
        <div class="composer-modes" role="group" aria-label="Write">
          <Mode compose={compose} mode="reply" icon="reply" text="Reply" keys="r" />
          <Mode compose={compose} mode="note" icon="note" text="Note" keys="n" />
        </div>
        {is_reply ? (
          <>
            {choices.length > 1 && <From compose={compose} />} <WindowLeft reply_window={reply_window} now={now} />
          </>
        ) : (
          <p class="composer-aside faint">Only colleagues see it</p>
        )}
      </div>
      {is_reply && !ticket.is_closed && <HolderBar {...props} />}
      {is_reply && !ticket.is_closed && <AssistantBar {...props} />}
      {is_reply && ticket.is_closed ? <ClosedTicket {...props} /> : <Body {...props} reply_window={reply_window} />}
      <Dialogs {...props} />
    </section>
  )
}

function Dialogs({ project, compose }: ComposeProps) {
  const form = open_form.value?.compose === compose ? open_form.value : null
  const sending = later.value?.compose === compose ? later.value : null
  const Form = form && VIEWS[form.type]
  const closeForm = () => {
    open_form.value = null
  }
  const closeLater = () => {
    later.value = null
  }
  const closeCanned = () => {
    managed.value = null
  }
  return (
    <>
      {Form && <Form project={project} compose={compose} onClose={closeForm} key={form.type} />}
      {sending && <LaterDialog {...sending} project={project} onClose={closeLater} />}
      {managed.value === project && <CannedDialog project={project} onClose={closeCanned} />}
    </>
  )
}

function Body({ reply_window, ...props }: ComposeProps & { reply_window: ReplyWindow }) {
  const { compose } = props
  if (compose.mode.value === 'note') return <Editor {...props} key="note" />
  const { channel } = compose.channel.value
  const is_known = props.project.definitions.value !== undefined && props.thread.contact.value !== undefined
  if (is_known && !channel?.composing.message_types.text)
    return (
      <p class="composer-notice">
        <Icon name="alert" /> There is no channel on which this person can be written to.
      </p>
    )
  if (reply_window.state === 'closed' && reply_window.has_templates)
    return <ClosedWindow {...props} reply_window={reply_window} />
  return <Editor {...props} is_late={reply_window.state === 'closed'} key="reply" />
}

function Mode({
  compose,
  mode,
  icon,
  text,
  keys,
}: {
  compose: Compose
  mode: 'reply' | 'note'
  icon: IconName
  text: string
  keys: string
}) {
  const choose = () => {
    compose.mode.value = mode
    compose.focus()
  }
  const has_text = compose.texts[mode].value !== '' && compose.mode.value !== mode
  return (
    <button
      type="button"
      class="composer-mode"
      aria-pressed={compose.mode.value === mode}
      aria-keyshortcuts={keys.toUpperCase()}
      title={`${text} (${keys})`}
      onClick={choose}
    >
      <Icon name={icon} /> {text}{' '}
      {has_text && (
        <span class="composer-dot">
          <span class="aside">, not sent</span>
        </span>
      )}
    </button>
  )
}

/** The channel to write from, where there are several. */
function From({ compose }: { compose: Compose }) {
  const { channel, choices } = compose.channel.value
  const choose = ({ currentTarget }: TargetedEvent<HTMLSelectElement>) => {
    compose.chosen_channel_id.value = currentTarget.value
  }
  return (
    <label class="composer-from">
      <span class="faint">From</span>
      <span class="select">
        <select value={channel?._id} onChange={choose}>
          {choices.map(({ _id, name }) => (
            <option value={_id} key={_id}>
              {name}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </span>
    </label>
  )
}

/** Does what the agent asked for by a key or in the menu of a message. */
function useOpening(inbox: Inbox, compose: Compose) {
  const opening = inbox.opening.value
  // At once, because the next key is for the field.
  useLayoutEffect(() => {
    if (!opening || opening.ticket_id !== compose.thread.ticket_id) return
    inbox.opening.value = null
    compose.mode.value = opening.mode
    if (opening.quote) compose.answer(opening.quote)
    compose.focus()
  }, [opening, compose])
}

/** Nothing that was typed is lost when the thread or the page is left. */
function useFlush(compose: Compose) {
  useEffect(() => {
    const flush = () => document.hidden && compose.flush()
    document.addEventListener('visibilitychange', flush)
    return () => {
      document.removeEventListener('visibilitychange', flush)
      compose.flush()
    }
  }, [compose])
}
