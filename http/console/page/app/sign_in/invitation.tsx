/** The page behind the link of an invitation: the user chooses the first password and is signed in. */

import { useEffect, useState } from 'preact/hooks'
import type { Console } from '../../core/console.ts'
import { errorText, faultOf } from '../../data/errors.ts'
import { useElement } from '../../ui/hooks.ts'
import { Icon, Mark } from '../../ui/pictures/icons.tsx'

const words = {
  title: 'Welcome to Parley',
  lead: 'Choose the password with which you will sign in.',
  email: 'E-mail',
  password: 'Password',
  hint: 'At least 8 characters.',
  enter: 'Set the password and sign in',
  entering: 'Signing in…',
  over: 'This invitation does not work any more. It works once, for 72 hours, and a later one replaces it. Ask for another one.',
  known: 'I have a password',
}

export function Invitation({ core }: { core: Console }) {
  const [error, setError] = useState<string | null>(null)
  const [is_busy, setBusy] = useState(false)
  const field = useElement<HTMLInputElement>()
  const { path, query } = core.place.value
  useEffect(() => field.current.focus(), [])

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (is_busy) return
    setBusy(true)
    setError(null)
    try {
      // Somebody else may be signed in on this page.
      core.api.user_id = undefined
      await core.api.request('POST', 'invitation', { json: { token: path[0] ?? '', password: field.current.value } })
      await core.start()
      // The link leaves the history of the browser.
      location.replace('#/')
    } catch (thrown) {
      const fault = faultOf(thrown)
      const is_over = fault.code === 'INVITATION_NOT_FOUND' || fault.code === 'VALIDATION_ERROR'
      setError(is_over ? words.over : errorText(fault))
      setBusy(false)
    }
  }

  return (
    <main class="alone">
      <form class="card sign-in" method="post" onSubmit={submit} aria-labelledby="invitation-title">
        <Mark />
        <h1 id="invitation-title">{words.title}</h1>
        <p class="faint">{words.lead}</p>
        <div id="invitation-error" role="alert">
          {error && (
            <p class="note bad">
              <Icon name="alert" /> {error}
            </p>
          )}
        </div>
        {query.email && (
          <label class="field">
            <span>{words.email}</span>
            <input type="email" name="email" autocomplete="username" value={query.email} readonly />
          </label>
        )}
        <label class="field">
          <span>{words.password}</span>
          <input
            ref={field}
            type="password"
            name="password"
            autocomplete="new-password"
            minlength={8}
            maxlength={200}
            required
            aria-describedby="invitation-error"
          />
          <span class="faint">{words.hint}</span>
        </label>
        <button type="submit" class="button primary" aria-busy={is_busy}>
          {is_busy ? words.entering : words.enter}
        </button>
        <a href="#/">{words.known}</a>
      </form>
    </main>
  )
}
