/** Tells colleagues that this agent is replying, while something is being typed. */

import { useEffect, useRef } from 'preact/hooks'
import type { ComposeProps } from './compose_props.ts'

/** Without a keystroke for this time, the agent is looking again. */
const PAUSE_MS = 12_000

export function useReplying({ thread, compose }: ComposeProps) {
  const text = compose.texts.reply.value
  const is_reply = compose.mode.value === 'reply'
  const typed = useRef(text)
  const say = (is_replying: boolean) => {
    thread.is_replying.value = is_replying
  }
  useEffect(() => {
    const is_typing = typed.current !== text && document.activeElement?.tagName === 'TEXTAREA'
    typed.current = text
    if (!is_reply || text === '') return say(false)
    // A draft that appears is not being typed.
    if (is_typing) say(true)
    const timer = setTimeout(() => say(false), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, is_reply])
  useEffect(() => () => say(false), [thread])
}
