/** The frame around each place: navigation, the user, the state of the live connection. */
import { faultOf } from './errors.js'
import { Icon, Mark } from './icons.js'
import { broadcastsPlace } from './places.js'
import { html, useEffect, useRef, useState } from './preact.js'
import { Menu, Trouble } from './ui.js'

/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('../page_types/session.ts').Session} Session */
/** @typedef {import('../page_types/session.ts').Named} Named */
/** @typedef {import('../page_types/place.ts').Place} Place */
/** @typedef {import('../page_types/live.ts').LiveState} LiveState */

/** Shorter interruptions are not shown. */
const SHORT_BREAK_MS = 1_200

/** One for each section of the console. */
const SECTIONS = [{ pages: ['broadcasts', 'broadcast'], name: 'Broadcasts', icon: 'broadcasts', href: broadcastsPlace }]

/**
 * @param {{ store: Store, session: Session, children: unknown }} props
 */
export function Frame({ store, session, children }) {
  const { project, place } = store
  /** @type {import('./preact.js').Ref<HTMLElement>} */
  const main = useRef()
  /** @type {import('./preact.js').Ref<Place | null>} */
  const came_from = useRef(null)
  const where = `${place.page} ${place.project_id} ${place.id}`

  // Focuses the heading when the place changes, so that screen readers announce it; after going back, focuses the row
  // that was left. A page that was just loaded begins at its top.
  useEffect(() => {
    const left = came_from.current
    came_from.current = place
    if (left || store.came_in) {
      const back = place.page === 'broadcasts' && left?.id && document.getElementById(left.id)
      const target = back || main.current.querySelector('h1')
      target?.focus({ preventScroll: true })
    }
    scrollTo(0, place.page === 'broadcasts' ? (store.list?.scrolled_to ?? 0) : 0)
  }, [where])

  return html`<div class="frame">
    <button type="button" class="skip button" onClick=${() => main.current.focus()}>Skip to content</button>
    <header class="side">
      <a class="brand" href=${project ? broadcastsPlace(project._id) : '#'}><${Mark} /> <span>Parley</span></a>
      <${Projects} session=${session} project=${project} />
      <nav class="sections" aria-label="Sections">
        ${
          project &&
          SECTIONS.map(
            ({ pages, name, icon, href }) =>
              html`<a href=${href(project._id)} aria-current=${pages.includes(place.page) ? 'page' : undefined} key=${name}>
              <${Icon} name=${icon} /> ${name}
            </a>`,
          )
        }
      </nav>
      <${Connection} state=${store.live_state} />
      <${User} store=${store} user=${session.user} />
    </header>
    <main ref=${main} tabindex="-1">${children}</main>
  </div>`
}

/**
 * @param {{ session: Session, project: Named | undefined }} props
 */
function Projects({ session: { company, projects }, project }) {
  if (projects.length < 2) {
    return html`<div class="projects">
      <span class="company">${company.name}</span>
      <span class="project">${project?.name ?? projects[0]?.name}</span>
    </div>`
  }
  /** @param {{ target: HTMLSelectElement }} event */
  const choose = ({ target }) => {
    location.hash = broadcastsPlace(target.value)
  }
  return html`<label class="projects">
    <span class="company">${company.name}</span>
    <span class="aside">Project</span>
    <span class="select">
      <select value=${project?._id ?? ''} onChange=${choose}>
        ${!project && html`<option value="" disabled>Choose a project</option>`}
        ${projects.map(({ _id, name }) => html`<option value=${_id} key=${_id}>${name}</option>`)}
      </select>
      <${Icon} name="down" />
    </span>
  </label>`
}

/** @typedef {{ text: string, hint: string }} ConnectionWords */

/** @type {Partial<Record<LiveState, ConnectionWords>> & { reconnecting: ConnectionWords }} */
const CONNECTION = {
  live: { text: 'Live', hint: 'What happens is shown as it happens.' },
  connecting: { text: 'Connecting…', hint: 'Numbers are refreshed every few seconds until then.' },
  reconnecting: { text: 'Reconnecting…', hint: 'What is shown may be a few seconds old. It catches up by itself.' },
  refused: { text: 'Not live', hint: 'This address may not listen live. Numbers are refreshed every few seconds.' },
}

/**
 * @param {{ state: LiveState }} props
 */
function Connection({ state }) {
  const [shown, setShown] = useState(/** @type {LiveState | null} */ (null))
  useEffect(() => {
    if (state === 'live') return setShown(state)
    const timer = setTimeout(() => setShown(state), SHORT_BREAK_MS)
    return () => clearTimeout(timer)
  }, [state])
  // The initial state is not announced.
  if (shown === null) return html`<p class="connection" role="status"></p>`
  const { text, hint } = CONNECTION[shown] ?? CONNECTION.reconnecting
  return html`<p class="connection ${shown}" role="status" title=${hint}><i></i><span>${text}</span></p>`
}

/**
 * @param {{ store: Store, user: Session['user'] }} props
 */
function User({ store, user }) {
  const [error, setError] = useState(/** @type {import('../page_types/fault.ts').Fault | null} */ (null))
  const [is_busy, setBusy] = useState(false)
  const signOut = async () => {
    setBusy(true)
    setError(null)
    try {
      await store.signOut()
    } catch (refused) {
      setError(faultOf(refused))
      setBusy(false)
    }
  }
  const button = html`<span class="avatar" aria-hidden="true">${initials(user.full_name)}</span>
    <span class="aside">Account of</span> <span class="user-name">${user.full_name}</span><${Icon} name="down" />`
  return html`<${Menu} id="user-menu" button=${button}>
    <p class="user-name">${user.full_name}</p>
    <p class="faint">${user.email}</p>
    <button type="button" class="quiet menu-item" disabled=${is_busy} onClick=${signOut}>
      <${Icon} name="out" /> ${is_busy ? 'Signing out…' : 'Sign out'}
    </button>
    ${error && html`<${Trouble} title="You are still signed in" error=${error} />`}
  <//>`
}

/** @param {string} name */
function initials(name) {
  const words = name.trim().split(/\s+/)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen
    .map((word = '') => [...word][0] ?? '')
    .join('')
    .toUpperCase()
}
