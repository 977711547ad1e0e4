/** The search over guides, operations and events, in a dialog. Its index is loaded when it is first opened. */

/**
 * @typedef {{ path: string, anchor?: string, title: string, place: string, words: string }} Entry
 */

const MOST_RESULTS = 30
const FILES = new URL('.', import.meta.url)
/** The root of the documentation. */
const DOCS = new URL('..', FILES)

/** @type {Promise<Entry[]> | undefined} */
let index
/** @type {HTMLDialogElement | undefined} */
let dialog

export function openSearch() {
  dialog ??= makeDialog()
  if (!dialog.open) dialog.showModal()
  dialog.querySelector('input')?.select()
}

/** @returns {Promise<Entry[]>} */
async function load() {
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
      const found = search(await index, asked)
      if (asked !== input.value) return
      list.replaceChildren(...found.slice(0, MOST_RESULTS).map(resultOf))
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

/** @param {number} count */
function countOf(count) {
  if (count === 0) return 'Nothing found. Try fewer or shorter words.'
  if (count === 1) return '1 result'
  return count > MOST_RESULTS ? `The best ${MOST_RESULTS} of ${count} results` : `${count} results`
}

/** @param {Entry} entry */
function resultOf({ path, anchor, title, place }) {
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
  item.append(link)
  return item
}

/**
 * Entries in which every word of the question begins a word; the best first.
 *
 * @param {Entry[]} entries
 * @param {string} question
 */
function search(entries, question) {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ entry }) => entry)
}

/**
 * @param {Entry} entry
 * @param {string[]} words
 */
function scoreOf({ title, words: text, anchor }, words) {
  const name = title.toLowerCase()
  let score = anchor === undefined ? 1 : 0
  for (const word of words) {
    if (name === word) score += 20
    else if (name.startsWith(word)) score += 10
    else if (new RegExp(`(?:^|[\\s_./{-])${escaped(word)}`).test(name)) score += 6
    else if (text.startsWith(word) || text.includes(` ${word}`)) score += 2
    else return 0
  }
  return score
}

/** @param {string} word */
function escaped(word) {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
