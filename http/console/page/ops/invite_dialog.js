/** Invites a user without a password: by mail, or with a link to hand over. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Copyable } from '../ui/copyable.js'
import { Dialog } from '../ui/dialog.js'
import { exactly } from '../ui/format.js'
import { useAction } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'

export const AGENT = 'console.agent'

const words = {
  /** @param {string} name */
  title: (name) => `Invite ${name}`,
  /** @param {string} email */
  lead: (email) => `${email} gets a link to choose a password and is signed in. It works once and for 72 hours.`,
  /** @param {string} email @param {string} until */
  mailed: (email, until) => `A mail with the link goes to ${email}. It works once, until ${until}.`,
  /** @param {string} email @param {string} until */
  handed: (email, until) =>
    `This installation sends no mail. Give this link to ${email} yourself: whoever has it sets the password. It works once, until ${until}.`,
  link: 'the link',
  invite: 'Invite',
  inviting: 'Inviting…',
  cancel: 'Cancel',
  done: 'Done',
}

/** @typedef {{ email: string, is_mailed: boolean, url: string | null, expires_at: string }} Invited */

/**
 * @param {{ api: import('../data/api.js').Api, user: import('../../page_types/ops.ts').OpsUser, onClose(): void }} props
 */
export function InviteDialog({ api, user: { _id, full_name, email }, onClose }) {
  const [invited, setInvited] = useState(/** @type {Invited | null} */ (null))
  const { run, is_busy, fault } = useAction(async () => {
    setInvited(await api.request('POST', `ops/users/${_id}/invite`))
  })
  return html`<${Dialog} title=${words.title(full_name)} onClose=${onClose} has_close=${true}>
    ${(/** @type {() => void} */ close) =>
      invited
        ? html`<${Outcome} invited=${invited} close=${close} />`
        : html`<p>${words.lead(email)}</p>
          ${fault && html`<p class="field-error" role="alert"><${Icon} name="alert" /> ${fault.message}</p>`}
          <div class="actions">
            <button type="button" class="button" onClick=${close}>${words.cancel}</button>
            <button type="button" class="button primary" disabled=${is_busy} onClick=${() => run()}>
              ${is_busy ? words.inviting : words.invite}
            </button>
          </div>`}
  <//>`
}

/**
 * @param {{ invited: Invited, close(): void }} props
 */
function Outcome({ invited: { email, is_mailed, url, expires_at }, close }) {
  const until = exactly(expires_at)
  return html`<p role="status">${is_mailed ? words.mailed(email, until) : words.handed(email, until)}</p>
    ${url && html`<p><${Copyable} text=${url} label=${words.link}><code class="ops-break">${url}</code><//></p>`}
    <div class="actions"><button type="button" class="button primary" onClick=${close}>${words.done}</button></div>`
}
