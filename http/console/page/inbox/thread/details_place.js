/**
 * The place of the details: beside the thread, where the agent's choice is kept; or over it, where there is no room for
 * both. There they are open only when they are asked for.
 */
import { useEffect, useState } from 'preact/hooks'
import { prefer, preferences } from '../../app/preferences.js'

/** As in `thread.css`. */
const NARROW = matchMedia('(max-width: 1180px)')

export function useDetails() {
  const [is_narrow, setNarrow] = useState(NARROW.matches)
  const [is_over, setOver] = useState(false)
  const { is_panel_shown } = preferences.value
  useEffect(() => {
    const look = () => setNarrow(NARROW.matches)
    NARROW.addEventListener('change', look)
    return () => NARROW.removeEventListener('change', look)
  }, [])
  return {
    is_shown: is_narrow ? is_over : is_panel_shown,
    turn: () => (is_narrow ? setOver(!is_over) : prefer({ is_panel_shown: !is_panel_shown })),
  }
}
