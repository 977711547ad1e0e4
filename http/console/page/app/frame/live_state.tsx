/** The state of the live connection. */

import { useEffect, useState } from 'preact/hooks'
import type { LiveState as State } from '../../records/live.ts'

type Words = { text: string; hint: string }

/** Shorter interruptions are not shown. */
const SHORT_BREAK_MS = 1_200

const WORDS: Partial<Record<State, Words>> & { reconnecting: Words } = {
  live: { text: 'Live', hint: 'What happens is shown as it happens.' },
  connecting: { text: 'Connecting…', hint: 'The page is refreshed every few seconds until then.' },
  reconnecting: { text: 'Reconnecting…', hint: 'What is shown may be a few seconds old. It catches up by itself.' },
  refused: { text: 'Not live', hint: 'This address may not listen live. The page is refreshed every few seconds.' },
}

export function LiveState({ state }: { state: State }) {
  const [indicator, setIndicator] = useState<State | null>(null)
  useEffect(() => {
    if (state === 'live') return setIndicator(state)
    const timer = setTimeout(() => setIndicator(state), SHORT_BREAK_MS)
    return () => clearTimeout(timer)
  }, [state])
  // The initial state is not announced.
  if (indicator === null) return <p class="connection" role="status"></p>
  const { text, hint } = WORDS[indicator] ?? WORDS.reconnecting
  return (
    <p class={`connection ${indicator}`} role="status" title={hint}>
      <i></i>
      <span>{text}</span>
    </p>
  )
}
