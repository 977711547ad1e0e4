/** Media queries, such as the width of the window. */
import { useEffect, useState } from 'preact/hooks'

/** Windows that show the list of a section or what is open in it, as in the styles. */
export const PHONE = '(max-width: 860px)'

/** True while a media query holds. */
export function useMedia(query: string) {
  const [is_matching, setMatching] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const look = () => setMatching(media.matches)
    look()
    media.addEventListener('change', look)
    return () => media.removeEventListener('change', look)
  }, [query])
  return is_matching
}
