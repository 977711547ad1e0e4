/**
 * The composer below a thread: the reply to the person, and notes for colleagues.
 *
 * `compose.js` has what is written, `channel_rules.js` the rules of the channel. What is needed now and then (forms,
 * templates, canned responses, sending later) is loaded when it is first asked for.
 */
import { html } from 'htm/preact'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { useClock } from '../../ui/hooks.js'
import { Icon } from '../../ui/icons.js'
import { lazy } from '../../ui/lazy.js'
import { managed } from './canned_place.js'
import { windowOf } from './channel_rules.js'
import { Composers } from './compose.js'
import { Editor } from './editor.js'
import { open_form, VIEWS, withFormStyles } from './forms.js'
import { later } from './later.js'
import { ClosedTicket, ClosedWindow, WindowLeft } from './notices.js'
import { useReplying } from './replying.js'

/** @typedef {import('../mod.js').ThreadProps} ThreadProps */
/** @typedef {import('./compose.js').Compose} Compose */
/** @typedef {ReturnType<typeof windowOf>} ReplyWindow */
/**
 * Props of the composer's parts.
 *
 * @typedef {Omit<ThreadProps, 'console'> & { compose: Compose }} ComposeProps
 */

const Scheduled = lazy(() => import('./scheduled.js').then((module) => module.Scheduled))

const LaterDialog = lazy(() => import('./later_dialog.js').then((module) => module.LaterDialog))
const CannedDialog = withFormStyles(() => import('./canned_dialog.js').then((module) => module.CannedDialog))

/** The window of a reply is looked at this often, so that it closes in time. */
const LOOK_MS = 15_000

/**
 * @param {ThreadProps} props
 */
export function Composer({ project, inbox, thread }) {
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
  useWanted(inbox, compose)
  useFlush(compose)
  useReplying(props)
  if (!ticket) return null
  const is_reply = mode === 'reply'
  return html`<section class="composer ${is_reply ? '' : 'is-note'}" aria-label="Composer">
    <${Scheduled} ...${props} />
    <div class="composer-head">
      <div class="composer-modes" role="group" aria-label="Write">
        <${Mode} compose=${compose} mode="reply" icon="reply" text="Reply" keys="r" />
        <${Mode} compose=${compose} mode="note" icon="note" text="Note" keys="n" />
      </div>
      ${
        is_reply
          ? html`${choices.length > 1 && html`<${From} compose=${compose} />`} <${WindowLeft} reply_window=${reply_window} now=${now} />`
          : html`<p class="composer-aside faint">Only colleagues see it</p>`
      }
    </div>
    ${is_reply && ticket.is_closed ? html`<${ClosedTicket} ...${props} />` : html`<${Body} ...${props} reply_window=${reply_window} />`}
    <${Dialogs} ...${props} />
  </section>`
}

/**
 * @param {ComposeProps} props
 */
function Dialogs({ project, compose }) {
  const form = open_form.value?.compose === compose ? open_form.value : null
  const sending = later.value?.compose === compose ? later.value : null
  const closeForm = () => {
    open_form.value = null
  }
  const closeLater = () => {
    later.value = null
  }
  const closeCanned = () => {
    managed.value = null
  }
  return html`${form && html`<${VIEWS[form.type]} project=${project} compose=${compose} onClose=${closeForm} key=${form.type} />`}
    ${sending && html`<${LaterDialog} ...${sending} project=${project} onClose=${closeLater} />`}
    ${managed.value === project && html`<${CannedDialog} project=${project} onClose=${closeCanned} />`}`
}

/**
 * @param {ComposeProps & { reply_window: ReplyWindow }} props
 */
function Body({ reply_window, ...props }) {
  const { compose } = props
  if (compose.mode.value === 'note') return html`<${Editor} ...${props} key="note" />`
  const { channel } = compose.channel.value
  const is_known = props.project.definitions.value !== undefined && props.thread.contact.value !== undefined
  if (is_known && !channel?.composing.message_types.text)
    return html`<p class="composer-notice"><${Icon} name="alert" /> There is no channel on which this person can be written to.</p>`
  if (reply_window.state === 'closed' && reply_window.has_templates)
    return html`<${ClosedWindow} ...${props} reply_window=${reply_window} />`
  return html`<${Editor} ...${props} is_late=${reply_window.state === 'closed'} key="reply" />`
}

/**
 * @param {{ compose: Compose, mode: 'reply' | 'note', icon: import('../../ui/icons.js').IconName, text: string, keys: string }} props
 */
function Mode({ compose, mode, icon, text, keys }) {
  const choose = () => {
    compose.mode.value = mode
    compose.focus()
  }
  const has_text = compose.texts[mode].value !== '' && compose.mode.value !== mode
  return html`<button
    type="button"
    class="composer-mode"
    aria-pressed=${String(compose.mode.value === mode)}
    aria-keyshortcuts=${keys.toUpperCase()}
    title="${text} (${keys})"
    onClick=${choose}
  >
    <${Icon} name=${icon} /> ${text} ${has_text && html`<span class="composer-dot"><span class="aside">, not sent</span></span>`}
  </button>`
}

/**
 * The channel to write from, where there are several.
 *
 * @param {{ compose: Compose }} props
 */
function From({ compose }) {
  const { channel, choices } = compose.channel.value
  /** @param {{ target: HTMLSelectElement }} event */
  const choose = ({ target }) => {
    compose.chosen_channel_id.value = target.value
  }
  return html`<label class="composer-from">
    <span class="faint">From</span>
    <span class="select">
      <select value=${channel?._id} onChange=${choose}>
        ${choices.map(({ _id, name }) => html`<option value=${_id} key=${_id}>${name}</option>`)}
      </select>
      <${Icon} name="down" />
    </span>
  </label>`
}

/**
 * Does what the agent asked for by a key or in the menu of a message.
 *
 * @param {import('../inbox.js').Inbox} inbox
 * @param {Compose} compose
 */
function useWanted(inbox, compose) {
  const wanted = inbox.wanted.value
  // At once, because the next key is for the field.
  useLayoutEffect(() => {
    if (!wanted || wanted.ticket_id !== compose.thread.ticket_id) return
    inbox.wanted.value = null
    compose.mode.value = wanted.mode
    if (wanted.quote) compose.answer(wanted.quote)
    compose.focus()
  }, [wanted, compose])
}

/**
 * Nothing that was typed is lost when the thread or the page is left.
 *
 * @param {Compose} compose
 */
function useFlush(compose) {
  useEffect(() => {
    const flush = () => document.hidden && compose.flush()
    document.addEventListener('visibilitychange', flush)
    return () => {
      document.removeEventListener('visibilitychange', flush)
      compose.flush()
    }
  }, [compose])
}
