/** A new secret, which is shown once. */
import { html } from 'htm/preact'
import { Copyable } from '../ui/copyable.js'
import { Dialog } from '../ui/dialog.js'
import { Icon } from '../ui/icons.js'

/**
 * @param {{
 *   webhook: import('../../page_types/webhook.ts').WebhookWithSecret
 *   is_new: boolean
 *   onClose(): void
 * }} props
 */
export function SecretDialog({ webhook: { name, secret, mode }, is_new, onClose }) {
  const use =
    mode === 'poll'
      ? 'Events that are fetched are not signed; keep the secret in case the webhook changes.'
      : 'The receiver verifies with it that deliveries come from Parley.'
  return html`<${Dialog}
    title=${is_new ? `“${name}” was created` : `The new secret of “${name}”`}
    class="webhook-dialog"
    onClose=${onClose}
    actions=${
      /** @param {() => void} close */
      (close) => html`<button type="button" class="button primary" onClick=${close}>I have stored it</button>`
    }
  >
    <p>${use}</p>
    <div class="webhook-secret">
      <${Copyable} text=${secret} label="the secret"><code tabindex="0">${secret}</code><//>
    </div>
    <p class="note wary"><${Icon} name="alert" /> It is shown only now. Later it can be replaced, but not shown again.</p>
  <//>`
}
