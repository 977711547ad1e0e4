/** Invites a user without a password: by mail, or with a link to hand over. */

import { useState } from 'preact/hooks'
import type { Api } from '../data/api.ts'
import { Copyable } from '../ui/copyable.tsx'
import { exactly } from '../ui/format/format.ts'
import { useAction } from '../ui/hooks.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import type { OpsUser } from './records.ts'

export const AGENT = 'console.agent'

const words = {
  title: (name: string) => `Invite ${name}`,
  lead: (email: string) =>
    `${email} gets a link to choose a password and is signed in. It works once and for 72 hours.`,
  mailed: (email: string, until: string) => `A mail with the link goes to ${email}. It works once, until ${until}.`,
  handed: (email: string, until: string) =>
    `This installation sends no mail. Give this link to ${email} yourself: whoever has it sets the password. It works once, until ${until}.`,
  link: 'the link',
  invite: 'Invite',
  inviting: 'Inviting…',
  cancel: 'Cancel',
  done: 'Done',
}

type Invited = { email: string; is_mailed: boolean; url: string | null; expires_at: string }

export function InviteDialog({
  api,
  user: { _id, full_name, email },
  onClose,
}: {
  api: Api
  user: OpsUser
  onClose(): void
}) {
  const [invited, setInvited] = useState<Invited | null>(null)
  const { run, is_busy, fault } = useAction(async () => {
    setInvited(await api.request('POST', `ops/users/${_id}/invite`))
  })
  return (
    <Dialog title={words.title(full_name)} onClose={onClose} has_close>
      {(close) =>
        invited ? (
          <Outcome invited={invited} close={close} />
        ) : (
          <>
            <p>{words.lead(email)}</p>
            {fault && (
              <p class="field-error" role="alert">
                <Icon name="alert" /> {fault.message}
              </p>
            )}
            <div class="actions">
              <button type="button" class="button" onClick={close}>
                {words.cancel}
              </button>
              <button type="button" class="button primary" disabled={is_busy} onClick={() => run()}>
                {is_busy ? words.inviting : words.invite}
              </button>
            </div>
          </>
        )
      }
    </Dialog>
  )
}

function Outcome({ invited: { email, is_mailed, url, expires_at }, close }: { invited: Invited; close(): void }) {
  const until = exactly(expires_at)
  return (
    <>
      <p role="status">{is_mailed ? words.mailed(email, until) : words.handed(email, until)}</p>
      {url && (
        <p>
          <Copyable text={url} label={words.link}>
            <code class="ops-break">{url}</code>
          </Copyable>
        </p>
      )}
      <div class="actions">
        <button type="button" class="button primary" onClick={close}>
          {words.done}
        </button>
      </div>
    </>
  )
}
