/** The form in which an agent changes the own password. */

import { useState } from 'preact/hooks'
import type { Console } from '../../core/console.ts'
import { ApiError } from '../../data/api.ts'
import { errorText, faultOf } from '../../data/errors.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { toast } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { signInText } from './sign_in_text.ts'

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

export function PasswordDialog({ core, onClose }: { core: Console; onClose(): void }) {
  const [error, setError] = useState<string | null>(null)
  const [is_busy, setBusy] = useState(false)
  return (
    <Dialog title={words.title} has_close onClose={onClose}>
      {(close) => {
        const submit = async (event: SubmitEvent) => {
          event.preventDefault()
          if (is_busy) return
          setBusy(true)
          const fields = new FormData(event.target as HTMLFormElement)
          try {
            await core.api.request('PUT', 'password', { json: Object.fromEntries(fields) })
            toast(words.done)
            close()
          } catch (thrown) {
            setError(textOf(thrown))
            setBusy(false)
          }
        }
        return (
          <form onSubmit={submit}>
            <div id="password-error" role="alert">
              {error && (
                <p class="note bad">
                  <Icon name="alert" /> {error}
                </p>
              )}
            </div>
            <input
              type="email"
              name=""
              autocomplete="username"
              value={core.session.value?.user.email}
              hidden
              readonly
            />
            <Password name="current_password" label={words.current} autocomplete="current-password" />
            <Password
              name="new_password"
              label={words.next}
              autocomplete="new-password"
              hint={words.hint}
              minlength={8}
            />
            <div class="actions">
              <button type="button" class="button" onClick={close}>
                {words.cancel}
              </button>
              <button type="submit" class="button primary" aria-busy={is_busy}>
                {words.change}
              </button>
            </div>
          </form>
        )
      }}
    </Dialog>
  )
}

function Password({
  name,
  label,
  autocomplete,
  hint,
  minlength,
}: {
  name: string
  label: string
  autocomplete: string
  hint?: string
  minlength?: number
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="password"
        name={name}
        autocomplete={autocomplete}
        minlength={minlength}
        maxlength={200}
        required
        aria-describedby="password-error"
      />
      {hint && <span class="faint">{hint}</span>}
    </label>
  )
}

function textOf(thrown: unknown) {
  const fault = faultOf(thrown)
  if (fault.code === 'SIGN_IN_THROTTLED') return signInText(fault)
  const { violations = [] } =
    thrown instanceof ApiError ? ((thrown.details ?? {}) as { violations?: { path: string }[] }) : {}
  return violations.some(({ path }) => path === 'current_password') ? words.wrong : errorText(fault)
}
