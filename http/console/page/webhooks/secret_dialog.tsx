/** A new secret, which is shown once. */

import type { WebhookWithSecret } from '../records/webhook.ts'
import { Copyable } from '../ui/copyable.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { Icon } from '../ui/pictures/icons.tsx'

export function SecretDialog({
  webhook: { name, secret, mode },
  is_new,
  onClose,
}: {
  webhook: WebhookWithSecret
  is_new: boolean
  onClose(): void
}) {
  const use =
    mode === 'poll'
      ? 'Events that are fetched are not signed; keep the secret in case the webhook changes.'
      : 'The receiver verifies with it that deliveries come from Parley.'
  return (
    <Dialog
      title={is_new ? `“${name}” was created` : `The new secret of “${name}”`}
      class="webhook-dialog"
      onClose={onClose}
      actions={(close) => (
        <button type="button" class="button primary" onClick={close}>
          I have stored it
        </button>
      )}
    >
      <p>{use}</p>
      <div class="webhook-secret">
        <Copyable text={secret} label="the secret">
          <code tabindex={0}>{secret}</code>
        </Copyable>
      </div>
      <p class="note wary">
        <Icon name="alert" /> It is shown only now. Later it can be replaced, but not shown again.
      </p>
    </Dialog>
  )
}
