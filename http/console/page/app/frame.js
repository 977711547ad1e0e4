/** The frame around each section: navigation, the agent, the state of the live connection, and what lies above all. */
import { html } from 'htm/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useElement } from '../ui/hooks.js'
import { Icon, Mark } from '../ui/icons.js'
import { Keys } from '../ui/keys.js'
import { lazy } from '../ui/lazy.js'
import { Toasts } from '../ui/toast.js'
import { useActions } from './actions.js'
import { Agent } from './agent.js'
import { addressOf } from './places.js'
import { sectionsOf } from './sections.js'
import { loadStyles } from './styles.js'

/** @typedef {import('./console.js').Console} Console */
/** @typedef {import('../../page_types/session.ts').Session} Session */
/** @typedef {import('../../page_types/session.ts').Named} Named */
/** @typedef {'palette' | 'keys' | 'settings'} Overlay */

/** Parts that open above the page. */
const OVERLAYS = {
  palette: lazy(() => import('./palette.js').then(({ Palette }) => Palette)),
  keys: lazy(() => import('./keys_dialog.js').then(({ KeysDialog }) => KeysDialog)),
  settings: lazy(() => import('./settings.js').then(({ Settings }) => Settings)),
}

/** Nothing is said in the first moments. */
const LiveState = lazy(() => import('./live_state.js').then((module) => module.LiveState))
/** Loaded at once, while there is a network. */
const Unsent = lazy(() => import('../outbox/unsent.js').then((module) => module.Unsent))
const Bell = lazy(async () => (await Promise.all([import('./bell.js'), loadStyles(['app/bell.css'])]))[0].Bell)

/**
 * @param {{ core: Console, session: Session, children: unknown }} props
 */
export function Frame({ core, session, children }) {
  const place = core.place.value
  const project = core.project.value
  const named = core.named.value
  const sections = sectionsOf(session)
  const main = /** @type {import('preact').RefObject<HTMLElement>} */ (useElement())
  const [overlay, setOverlay] = useState(/** @type {Overlay | null} */ (null))
  useFocusOfPlace(core, main)

  /** @param {string} section */
  const hrefOf = (section) => (section === 'ops' ? '#/ops' : named ? addressOf(named._id, section) : '#')
  useActions(() => {
    const go = sections.map(({ section, name, icon, keys }) => ({
      text: `Go to ${name}`,
      group: 'Navigation',
      icon,
      keys,
      act: () => {
        location.hash = hrefOf(section)
      },
    }))
    const commands = sections.flatMap(({ section, name, commands = [] }) =>
      named
        ? commands.map(({ text, path, icon }) => ({
            text,
            group: name,
            icon,
            act: () => {
              location.hash = addressOf(named._id, section, path)
            },
          }))
        : [],
    )
    const projects = session.projects
      .filter(({ _id }) => _id !== named?._id)
      .map(({ _id, name }) => ({
        text: `Switch to ${name}`,
        group: 'Projects',
        act: () => {
          location.hash = addressOf(_id, place.section)
        },
      }))
    return [
      {
        text: 'Command palette',
        group: 'General',
        keys: 'mod+k',
        while_typing: true,
        is_hidden: true,
        act: () => setOverlay('palette'),
      },
      { text: 'Keyboard shortcuts', group: 'General', icon: 'keyboard', keys: '?', act: () => setOverlay('keys') },
      {
        text: 'Settings',
        group: 'General',
        icon: 'settings',
        keys: 'mod+,',
        while_typing: true,
        act: () => setOverlay('settings'),
      },
      ...go,
      ...commands,
      ...projects,
    ]
  }, [session, named?._id, place.section])

  return html`<div class="frame">
    <button type="button" class="skip button" onClick=${() => main.current.focus()}>Skip to content</button>
    <header class="side">
      <a class="brand" href=${hrefOf('inbox')}><${Mark} /> <span>Parley</span></a>
      <${Projects} session=${session} named=${named} section=${place.section} />
      <button type="button" class="search-button" aria-keyshortcuts="Control+K Meta+K" onClick=${() => setOverlay('palette')}>
        <${Icon} name="search" /> <span>Search or command</span> <${Keys} keys="mod+k" />
      </button>
      ${project && html`<${Bell} project=${project} key=${project.id} />`}
      <nav class="sections" aria-label="Sections">
        ${sections.map(
          ({ section, name, icon }) => html`<a
            href=${hrefOf(section)}
            aria-current=${section === place.section ? 'page' : undefined}
            key=${section}
          >
            <${Icon} name=${icon} /> <span>${name}</span>
          </a>`,
        )}
      </nav>
      ${core.outboxes.value && html`<${Unsent} outboxes=${core.outboxes.value} />`}
      <${LiveState} state=${core.live_state.value} />
      <${Agent} core=${core} user=${session.user} onSettings=${() => setOverlay('settings')} onKeys=${() => setOverlay('keys')} />
    </header>
    <main ref=${main} tabindex="-1">${children}</main>
    <${Toasts} />
    ${overlay && html`<${OVERLAYS[overlay]} core=${core} onClose=${() => setOverlay(null)} key=${overlay} />`}
  </div>`
}

/**
 * Focuses the heading when the place changes, so that screen readers announce it; after going back, the row that was
 * left, which has the last part of its address as id. A page that was just loaded begins at its top; a section that manages the focus itself marks the element that gets it with `data-focus`, or the whole page
 * with `data-keeps-focus`.
 *
 * @param {Console} core
 * @param {import('preact').RefObject<HTMLElement>} main
 */
function useFocusOfPlace(core, main) {
  const place = core.place.value
  const came_from = useRef(/** @type {import('../../page_types/place.ts').Place | null} */ (null))
  const where = [place.project_id, place.section, ...place.path].join(' ')
  useEffect(() => {
    const left = came_from.current
    came_from.current = place
    if (!left && !core.came_in) return
    if (left?.section === place.section && main.current.querySelector('[data-keeps-focus]')) return
    const came_back = left?.section === place.section && left.path.length > place.path.length
    const row = came_back ? document.getElementById(left.path.at(-1) ?? '') : null
    const focusTarget = () => {
      const target = row ?? main.current.querySelector('[data-focus]') ?? main.current.querySelector('h1')
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
      return target !== null
    }
    if (focusTarget()) return
    // A section that is being loaded has no heading yet.
    const observer = new MutationObserver(() => focusTarget() && observer.disconnect())
    observer.observe(main.current, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [where])
}

/**
 * @param {{ session: Session, named: Named | undefined, section: string }} props
 */
function Projects({ session: { company, projects }, named, section }) {
  if (projects.length < 2) {
    return html`<div class="projects">
      <span class="company">${company.name}</span>
      <span class="project">${named?.name ?? projects[0]?.name}</span>
    </div>`
  }
  /** @param {{ target: HTMLSelectElement }} event */
  const choose = ({ target }) => {
    location.hash = addressOf(target.value, named ? section : undefined)
  }
  return html`<label class="projects">
    <span class="company">${company.name}</span>
    <span class="aside">Project</span>
    <span class="select">
      <select value=${named?._id ?? ''} onChange=${choose}>
        ${!named && html`<option value="" disabled>Choose a project</option>`}
        ${projects.map(({ _id, name }) => html`<option value=${_id} key=${_id}>${name}</option>`)}
      </select>
      <${Icon} name="down" />
    </span>
  </label>`
}
