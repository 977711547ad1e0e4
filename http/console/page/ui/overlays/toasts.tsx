/** The short messages at the edge of the page. */
import { useEffect } from 'preact/hooks'
import { Icon } from '../pictures/icons.tsx'
import { dismiss, hold, toasts } from './toast.ts'

/** Where the messages are shown. They are read out when nothing else is. */
export function Toasts() {
  const is_empty = toasts.value.length === 0
  // The last message goes without the pointer or the focus leaving it.
  useEffect(() => {
    if (is_empty) hold(false)
  }, [is_empty])
  return (
    <div
      class="toasts"
      role="status"
      aria-live="polite"
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocusIn={() => hold(true)}
      onFocusOut={() => hold(false)}
    >
      {toasts.value.map(({ id, text, is_bad, act, act_text }) => (
        <div class={is_bad ? 'toast bad' : 'toast'} key={id}>
          <Icon name={is_bad ? 'alert' : 'done'} /> <p>{text}</p>
          {act && (
            <button type="button" class="quiet" onClick={() => dismiss(id, act)}>
              {act_text}
            </button>
          )}
          <button type="button" class="quiet icon-button" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
