/** Connects the parts of the console: the store, the address, the live connection, and a redraw in each frame with changes. */
import { Api } from './api.js'
import { App } from './app.js'
import { Live } from './live.js'
import { broadcastsPlace, placeOf } from './places.js'
import { html, render } from './preact.js'
import { io } from './socket_io.js'
import { Store } from './store.js'
import { titleOf } from './title.js'

const TITLE_EVERY_MS = 1_000
const PROJECT = 'parley console project'

const base = new URL('../', import.meta.url)
const store = new Store({
  api: new Api(base),
  connect: (on) => new Live(io, new URL('socket.io/', base), on),
})
const root = /** @type {HTMLElement} */ (document.getElementById('console'))

let is_due = false
let is_title_due = false

function draw() {
  is_due = false
  render(html`<${App} store=${store} />`, root)
}

function entitle() {
  is_title_due = false
  document.title = titleOf(store)
}

/** Hidden pages get no frames and need none, but their title is visible. */
store.subscribe(() => {
  if (!is_due) requestAnimationFrame(draw)
  is_due = true
  if (!is_title_due) setTimeout(entitle, document.hidden ? TITLE_EVERY_MS : 0)
  is_title_due = true
})

/**
 * Without a place in the address, opens the last project.
 *
 * @param {import('../page_types/session.ts').Session} session
 */
function startPlace({ projects }) {
  const last = projects.find(({ _id }) => _id === remembered()) ?? projects[0]
  return last && broadcastsPlace(last._id)
}

function remembered() {
  try {
    return localStorage.getItem(PROJECT)
  } catch {
    // Storage is blocked: use the first project.
    return null
  }
}

/** @param {string} project_id */
function remember(project_id) {
  try {
    localStorage.setItem(PROJECT, project_id)
  } catch {}
}

function follow() {
  const place = placeOf(location.hash)
  store.go(place)
  if (store.project) remember(store.project._id)
}

/** Once the session is known, a page without a place gets one. */
store.subscribe(() => {
  const start = store.session && store.place.page === 'start' && startPlace(store.session)
  if (start) location.replace(start)
})

addEventListener('hashchange', follow)
addEventListener('online', () => store.hurry())
document.addEventListener('visibilitychange', () => document.hidden || store.hurry())
follow()
store.start()
