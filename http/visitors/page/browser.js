/** The account of the browser for the agent: where the visitor is, and the language. */

/** Characters that the server takes of an address. */
const LONGEST = 2048

/** @returns {import('../page_types/protocol.ts').Browser} */
export function browserNow() {
  // As in a referrer, without what follows `#`: sites put secrets there.
  const [page_url = ''] = location.href.split('#')
  return {
    page_url: page_url.slice(0, LONGEST),
    referrer: document.referrer.slice(0, LONGEST),
    language: navigator.language,
  }
}
