/** The search over guides, operations and events, in a dialog. Its index is loaded when it is first opened. */
import { type Entry, find } from './find.ts'

const MAX_RESULTS = 30
const FILES = new URL('.', import.meta.url)
/** The root of the documentation. */
const DOCS = new URL('..', FILES)

let index: Promise<Entry[]> | undefined
let dialog: HTMLDialogElement | undefined

export function openSearch() {
  dialog ??= makeDialog()
  if (!dialog.open) dialog.showModal()
  dialog.querySelector('input')?.select()
}

async function load(): Promise<Entry[]> {
  const response = await fetch(new URL('search.json', DOCS))
  if (!response.ok) throw new Error(`status ${response.status}`)
  return response.json()
}

function makeDialog() {
  const made = document.createElement('dialog')
  made.className = 'search'
  made.setAttribute('aria-label', 'Search')
  const input = document.createElement('input')
  input.type = 'search'
  input.className = 'search-input'
  input.placeholder = 'Search guides, operations and events'
  input.setAttribute('aria-label', 'Search guides, operations and events')
  input.autocomplete = 'off'
  input.maxLength = 200
  const status = document.createElement('p')
  status.setAttribute('role', 'status')
  status.className = 'search-count'
  const list = document.createElement('ul')
  list.className = 'search-results'
  made.append(input, status, list)
  document.body.append(made)
  const draw = async () => {
    const asked = input.value
    try {
      index ??= load()
      const found = find(await index, asked)
      if (asked !== input.value) return
      list.replaceChildren(...found.slice(0, MAX_RESULTS).map(resultOf))
      status.textContent = asked.trim() === '' ? 'Type a word, an operation or an error code.' : countOf(found.length)
    } catch {
      index = undefined
      status.textContent = 'The search cannot be loaded. Check your connection and type again.'
    }
  }
  input.addEventListener('input', draw)
  made.addEventListener('keydown', (event) => {
    // A search field would only be emptied.
    if (event.key === 'Escape') made.close()
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const links = [...list.querySelectorAll('a')]
    if (event.key === 'Enter' && event.target === input) links[0]?.click()
    if (step === 0) return
    event.preventDefault()
    const at = links.findIndex((link) => link.matches(':focus')) + step
    if (at < 0) input.focus()
    else links[Math.min(at, links.length - 1)]?.focus()
  })
  // A click beside the dialog, or on a result of the same page, closes it.
  made.addEventListener('click', ({ target }) => {
    if (target === made || (target instanceof Element && target.closest('a'))) made.close()
  })
  void draw()
  return made
}

function countOf(count: number) {
  if (count === 0) return 'Nothing found. Try fewer or shorter words.'
  if (count === 1) return '1 result'
  return count > MAX_RESULTS ? `The best ${MAX_RESULTS} of ${count} results` : `${count} results`
}

function resultOf({ path, anchor, title, place, says }: Entry) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.className = 'search-result'
  link.href = new URL(path + (anchor ? `#${anchor}` : ''), DOCS).href
  const name = document.createElement('strong')
  name.textContent = title
  const where = document.createElement('span')
  where.textContent = place
  where.className = 'search-place'
  link.append(name, where)
  if (says) {
    const beginning = document.createElement('span')
    beginning.textContent = says
    beginning.className = 'search-says'
    link.append(beginning)
  }
  item.append(link)
  return item
}
