/** The state of the live connection. */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'

/** @typedef {import('../../page_types/live.ts').LiveState} State */
/** @typedef {{ text: string, hint: string }} Words */

/** Shorter interruptions are not shown. */
const SHORT_BREAK_MS = 1_200

/** @type {Partial<Record<State, Words>> & { reconnecting: Words }} */
const WORDS = {
  live: { text: 'Live', hint: 'What happens is shown as it happens.' },
  connecting: { text: 'Connecting…', hint: 'The page is refreshed every few seconds until then.' },
  reconnecting: { text: 'Reconnecting…', hint: 'What is shown may be a few seconds old. It catches up by itself.' },
  refused: { text: 'Not live', hint: 'This address may not listen live. The page is refreshed every few seconds.' },
}

/**
 * @param {{ state: State }} props
 */
export function LiveState({ state }) {
  const [shown, setShown] = useState(/** @type {State | null} */ (null))
  useEffect(() => {
    if (state === 'live') return setShown(state)
    const timer = setTimeout(() => setShown(state), SHORT_BREAK_MS)
    return () => clearTimeout(timer)
  }, [state])
  // The initial state is not announced.
  if (shown === null) return html`<p class="connection" role="status"></p>`
  const { text, hint } = WORDS[shown] ?? WORDS.reconnecting
  return html`<p class="connection ${shown}" role="status" title=${hint}><i></i><span>${text}</span></p>`
}
