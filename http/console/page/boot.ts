/**
 * Starts the console. It belongs to no release, and every node has it.
 *
 * During an upgrade the page may come from a node of one release and its files from a node of the other, which does not
 * have them. Then the page is loaded again, until all of it comes together; browsers keep the files that they got.
 */

const TRIES = 'parley console tries'
const MAX_TRIES = 12
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 3_000

const release = document.querySelector('meta[name=release]')?.getAttribute('content')

try {
  const links = [...(document.querySelectorAll('link[rel=stylesheet]') as NodeListOf<HTMLLinkElement>)]
  if (links.some(({ sheet }) => sheet === null)) throw new Error('styles are missing')
  await import(new URL(`files/${release}/main.js`, import.meta.url).href)
  remember(0)
} catch (error) {
  console.warn(error)
  const tries = remembered()
  if (tries < MAX_TRIES) {
    remember(tries + 1)
    setTimeout(() => location.reload(), Math.min(FIRST_WAIT_MS * 2 ** tries, MAX_WAIT_MS))
  } else {
    remember(0)
    const text = document.createElement('p')
    text.className = 'alone'
    text.textContent = 'The console could not be loaded. Reload the page to try again.'
    document.getElementById('console')?.replaceChildren(text)
  }
}

/** Without storage it is tried once. */
function remembered() {
  try {
    return Number(sessionStorage.getItem(TRIES)) || 0
  } catch {
    return MAX_TRIES
  }
}

function remember(tries: number) {
  try {
    if (tries > 0) sessionStorage.setItem(TRIES, String(tries))
    else sessionStorage.removeItem(TRIES)
  } catch {
    // Storage is blocked.
  }
}
