/**
 * The place of the details: beside the thread, where the agent's choice is kept; or over it, where there is no room for
 * both. There they are open only when they are asked for.
 */
import { useState } from 'preact/hooks'
import { prefer, preferences } from '../../../data/preferences.ts'
import { useMedia } from '../../../ui/media.ts'

/** As in `thread.css`. */
const NARROW = '(max-width: 1180px)'

export function useDetails() {
  const is_narrow = useMedia(NARROW)
  const [is_over, setOver] = useState(false)
  const { is_panel_shown } = preferences.value
  return {
    is_shown: is_narrow ? is_over : is_panel_shown,
    /** Shows the thread again where the details are over it. */
    uncover: () => setOver(false),
    turn: () => (is_narrow ? setOver(!is_over) : prefer({ is_panel_shown: !is_panel_shown })),
  }
}

export type Details = ReturnType<typeof useDetails>
