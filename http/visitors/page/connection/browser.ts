/** The account of the browser for the agent: where the visitor is, and the language. */
import type { Browser } from './protocol.ts'

/** Characters that the server takes of an address. */
const MAX_LENGTH = 2048

export function browserNow(): Browser {
  // As in a referrer, without what follows `#`: sites put secrets there.
  const [page_url = ''] = location.href.split('#')
  return {
    page_url: page_url.slice(0, MAX_LENGTH),
    referrer: document.referrer.slice(0, MAX_LENGTH),
    language: navigator.language,
  }
}
