/** The form in which an agent changes the own password. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { ApiError } from '../data/api.js'
import { errorText, faultOf } from '../data/errors.js'
import { Dialog } from '../ui/dialog.js'
import { Icon } from '../ui/icons.js'
import { toast } from '../ui/toast.js'
import { signInText } from './sign_in_text.js'

const words = {
  title: 'Change your password',
  current: 'Present password',
  next: 'New password',
  hint: 'At least 8 characters. Your other sessions end.',
  wrong: 'The present password is not right.',
  done: 'Your password is changed. Your other sessions have ended.',
  change: 'Change',
  cancel: 'Cancel',
}

/**
 * @param {{ core: import('./console.js').Console, onClose(): void }} props
 */
export function PasswordDialog({ core, onClose }) {
  const [error, setError] = useState(/** @type {string | null} */ (null))
  const [is_busy, setBusy] = useState(false)
  return html`<${Dialog} title=${words.title} has_close=${true} onClose=${onClose}>
    ${(/** @type {() => void} */ close) => {
      /** @param {SubmitEvent} event */
      const submit = async (event) => {
        event.preventDefault()
        if (is_busy) return
        setBusy(true)
        const fields = new FormData(/** @type {HTMLFormElement} */ (event.target))
        try {
          await core.api.request('PUT', 'password', { json: Object.fromEntries(fields) })
          toast(words.done)
          close()
        } catch (thrown) {
          setError(textOf(thrown))
          setBusy(false)
        }
      }
      return html`<form onSubmit=${submit}>
        <div id="password-error" role="alert">${error && html`<p class="note bad"><${Icon} name="alert" /> ${error}</p>`}</div>
        <input type="email" name="" autocomplete="username" value=${core.session.value?.user.email} hidden readonly />
        <${Password} name="current_password" label=${words.current} autocomplete="current-password" />
        <${Password} name="new_password" label=${words.next} autocomplete="new-password" hint=${words.hint} minlength="8" />
        <div class="actions">
          <button type="button" class="button" onClick=${close}>${words.cancel}</button>
          <button type="submit" class="button primary" aria-busy=${String(is_busy)}>${words.change}</button>
        </div>
      </form>`
    }}
  <//>`
}

/**
 * @param {{ name: string, label: string, autocomplete: string, hint?: string, minlength?: string }} props
 */
function Password({ name, label, autocomplete, hint, minlength }) {
  return html`<label class="field">
    <span>${label}</span>
    <input type="password" name=${name} autocomplete=${autocomplete} minlength=${minlength} maxlength="200" required aria-describedby="password-error" />
    ${hint && html`<span class="faint">${hint}</span>`}
  </label>`
}

/** @param {unknown} thrown */
function textOf(thrown) {
  const fault = faultOf(thrown)
  if (fault.code === 'SIGN_IN_THROTTLED') return signInText(fault)
  const { violations = [] } =
    thrown instanceof ApiError ? /** @type {{ violations?: { path: string }[] }} */ (thrown.details ?? {}) : {}
  return violations.some(({ path }) => path === 'current_password') ? words.wrong : errorText(fault)
}
