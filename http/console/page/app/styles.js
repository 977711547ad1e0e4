/** The styles of sections, loaded with the section. */

const base = new URL('../', import.meta.url)
/** @type {Map<string, Promise<void>>} */
const loaded = new Map()

/**
 * Resolves once all of these are in force. `places` are those of the files, such as `board/board.css`.
 *
 * @param {readonly string[]} places
 */
export function loadStyles(places) {
  return Promise.all(places.map((place) => loadStyle(place)))
}

/** @param {string} place */
function loadStyle(place) {
  const known = loaded.get(place)
  if (known) return known
  const loading = new Promise((/** @type {(nothing: void) => void} */ resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = new URL(place, base).href
    link.onload = () => resolve()
    link.onerror = () => {
      link.remove()
      loaded.delete(place)
      reject(new Error(`${place} could not be loaded`))
    }
    document.head.append(link)
  })
  loaded.set(place, loading)
  return loading
}
