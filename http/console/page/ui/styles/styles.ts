/** The styles of sections, loaded with the section. */

const base = new URL('.', import.meta.url)
const loaded = new Map<string, Promise<void>>()

/** Resolves once all of these are in force. `names` are those of the files, such as `board.css`. */
export function loadStyles(names: readonly string[]) {
  return Promise.all(names.map((name) => loadStyle(name)))
}

function loadStyle(name: string) {
  const known = loaded.get(name)
  if (known) return known
  const loading = new Promise((resolve: (nothing: void) => void, reject) => {
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
