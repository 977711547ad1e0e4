/** Tells colleagues that this agent is replying, while something is being typed. */
import { useEffect, useRef } from 'preact/hooks'
import { preferences } from '../../app/preferences.js'

/** Without a keystroke for this time, the agent is looking again. */
const PAUSE_MS = 12_000

/**
 * @param {import('./mod.js').ComposeProps} props
 */
export function useReplying({ project, thread, compose }) {
  const text = compose.texts.reply.value
  const is_reply = compose.mode.value === 'reply'
  const { is_available } = preferences.value
  const said = useRef(false)
  const typed = useRef(text)
  /** @param {boolean} is_replying */
  const say = (is_replying) => {
    if (said.current === is_replying) return
    said.current = is_replying
    project.present(thread.ticket_id, is_replying ? 'replying' : document.hidden ? 'away' : 'viewing')
  }
  // The thread itself says that the agent left.
  useEffect(() => {
    const is_typing = typed.current !== text && document.activeElement?.tagName === 'TEXTAREA'
    typed.current = text
    if (!is_reply || text === '' || !is_available) return say(false)
    // A draft that appears is not being typed.
    if (is_typing) say(true)
    const timer = setTimeout(() => say(false), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, is_reply, is_available])
}
