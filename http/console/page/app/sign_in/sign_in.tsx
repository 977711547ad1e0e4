/** The sign-in form. The requested place stays in the address meanwhile. */

import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Console } from '../../core/console.ts'
import { faultOf } from '../../data/errors.ts'
import type { Fault } from '../../records/fault.ts'
import { useElement } from '../../ui/hooks.ts'
import { Icon, Mark } from '../../ui/pictures/icons.tsx'
import { signInText } from './sign_in_text.ts'

type Field = RefObject<HTMLInputElement>

export function SignIn({ core }: { core: Console }) {
  const [error, setError] = useState<Fault | null>(null)
  const [is_busy, setBusy] = useState(false)
  const [is_shown, setShown] = useState(false)
  const [wait_s, setWait] = useState(0)
  const email: Field = useElement()
  const password: Field = useElement()

  useEffect(() => (core.email ? password : email).current.focus(), [])
  useEffect(() => {
    if (wait_s <= 0) return
    const timer = setTimeout(() => setWait(wait_s - 1), 1000)
    return () => clearTimeout(timer)
  }, [wait_s])

  const submit = async (event: Event) => {
    event.preventDefault()
    if (is_busy || wait_s > 0) return
    setBusy(true)
    setError(null)
    try {
      await core.signIn(email.current.value.trim(), password.current.value)
    } catch (thrown) {
      const refused = faultOf(thrown)
      setBusy(false)
      setError(refused)
      if (refused.code === 'SIGN_IN_THROTTLED') setWait(refused.retry_after_s ?? 60)
      if (refused.code === 'UNAUTHORIZED') {
        password.current.focus()
        password.current.select()
      }
    }
  }

  const is_wrong = error?.code === 'UNAUTHORIZED'
  const note = core.note.value
  return (
    <main class="alone">
      <form class="card sign-in" method="post" onSubmit={submit} aria-labelledby="sign-in-title">
        <Mark />
        <h1 id="sign-in-title">Sign in to Parley</h1>
        {note && !error && (
          <p class="note" role="status">
            {note}
          </p>
        )}
        <div id="sign-in-error" role="alert">
          {error && (
            <p class="note bad">
              <Icon name="alert" /> {signInText(error)}
            </p>
          )}
        </div>
        <label class="field">
          <span>E-mail</span>
          <input
            ref={email}
            name="email"
            defaultValue={core.email}
            type="email"
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            required
            aria-invalid={is_wrong ? 'true' : undefined}
            aria-describedby={is_wrong ? 'sign-in-error' : undefined}
          />
        </label>
        <div class="field">
          <label for="password">Password</label>
          <span class="with-button">
            <input
              ref={password}
              id="password"
              name="password"
              type={(is_shown ? 'text' : 'password') as 'password'}
              autocomplete="current-password"
              autocapitalize="none"
              spellcheck={false}
              required
              aria-invalid={is_wrong ? 'true' : undefined}
              aria-describedby={is_wrong ? 'sign-in-error' : undefined}
            />
            <button
              type="button"
              class="quiet"
              aria-label="Show password"
              aria-pressed={is_shown}
              onClick={() => setShown(!is_shown)}
            >
              {is_shown ? 'Hide' : 'Show'}
            </button>
          </span>
        </div>
        <button type="submit" class="button primary" disabled={wait_s > 0} aria-busy={is_busy}>
          {is_busy ? 'Signing in…' : wait_s > 0 ? `Sign in (in ${wait_s} s)` : 'Sign in'}
        </button>
      </form>
    </main>
  )
}
