/** The styles of sections, loaded with the section. */

const base = new URL('.', import.meta.url)
/** @type {Map<string, Promise<void>>} */
const loaded = new Map()

/**
 * Resolves once all of these are in force. `names` are those of the files, such as `board.css`.
 *
 * @param {readonly string[]} names
 */
export function loadStyles(names) {
  return Promise.all(names.map((name) => loadStyle(name)))
}

/** @param {string} name */
function loadStyle(name) {
  const known = loaded.get(name)
  if (known) return known
  const loading = new Promise((/** @type {(nothing: void) => void} */ resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = new URL(name, base).href
    link.onload = () => resolve()
    link.onerror = () => {
      link.remove()
      loaded.delete(name)
      reject(new Error(`${name} could not be loaded`))
    }
    document.head.append(link)
  })
  loaded.set(name, loading)
  return loading
}
