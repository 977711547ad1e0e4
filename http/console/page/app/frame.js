/** The frame around each section: navigation, the agent, the state of the live connection, and what lies above all. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { useElement } from '../ui/hooks.js'
import { Icon, Mark } from '../ui/icons.js'
import { Keys } from '../ui/keys.js'
import { lazy } from '../ui/lazy.js'
import { addressOf } from './places.js'
import { sectionsOf } from './sections.js'
import { loadStyles } from './styles.js'

/** @typedef {import('./console.js').Console} Console */
/** @typedef {import('../../page_types/session.ts').Session} Session */
/** @typedef {import('../../page_types/session.ts').Named} Named */
/** @typedef {'palette' | 'keys' | 'password' | 'settings'} Overlay */

/** Parts that open above the page. */
const OVERLAYS = {
  palette: lazy(() => import('./palette.js').then(({ Palette }) => Palette)),
  keys: lazy(() => import('./keys_dialog.js').then(({ KeysDialog }) => KeysDialog)),
  password: lazy(() => import('./password_dialog.js').then(({ PasswordDialog }) => PasswordDialog)),
  settings: lazy(() => import('./settings.js').then(({ Settings }) => Settings)),
}

/** Parts that the first view does without. */
const FrameActions = lazy(() => import('./frame_actions.js').then((module) => module.FrameActions))
const Attention = lazy(() => import('./attention.js').then((module) => module.Attention))
const Agent = lazy(() => import('./agent.js').then((module) => module.Agent))
const Toasts = lazy(() => import('../ui/toasts.js').then((module) => module.Toasts))
const LiveState = lazy(() => import('./live_state.js').then((module) => module.LiveState))
const Unsent = lazy(
  async () => (await Promise.all([import('../outbox/unsent.js'), loadStyles(['outbox.css'])]))[0].Unsent,
)
const Bell = lazy(async () => (await Promise.all([import('./bell.js'), loadStyles(['bell.css'])]))[0].Bell)

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

  /** @param {string} section */
  const hrefOf = (section) => (section === 'ops' ? '#/ops' : named ? addressOf(named._id, section) : '#')

  const unread = core.unread.value > 99 ? '99+' : core.unread.value
  return html`<div class="frame">
    <${FrameActions} ...${{ core, session, named, place, sections, main, hrefOf, setOverlay }} />
    ${project && html`<${Attention} core=${core} project=${project} key=${project.id} />`}
    <button type="button" class="skip button" onClick=${() => main.current.focus()}>Skip to content</button>
    <header class="side">
      <a class="brand" href=${hrefOf('inbox')}><${Mark} /> <span>Parley</span></a>
      <${Projects} session=${session} named=${named} section=${place.section} />
      <button type="button" class="search-button" aria-keyshortcuts="Control+K Meta+K" onClick=${() => setOverlay('palette')}>
        <${Icon} name="search" /> <span>Search or command</span> <${Keys} keys="mod+k" />
      </button>
      ${project ? html`<${Bell} project=${project} key=${project.id} />` : html`<div class="bell"></div>`}
      <nav class="sections" aria-label="Sections">
        ${sections.map(
          ({ section, name, icon }) => html`<a
            href=${hrefOf(section)}
            aria-current=${section === place.section ? 'page' : undefined}
            key=${section}
          >
            <${Icon} name=${icon} /> <span>${name}</span>
            ${section === 'inbox' && unread !== 0 && html`<span class="count">${unread}<span class="aside"> unread</span></span>`}
          </a>`,
        )}
      </nav>
      <${Toasts} />
      ${core.outboxes.value && html`<${Unsent} outboxes=${core.outboxes.value} />`}
      <${LiveState} state=${core.live_state.value} />
      <${Agent} core=${core} user=${session.user} onSettings=${() => setOverlay('settings')} onKeys=${() => setOverlay('keys')} onPassword=${() => setOverlay('password')} />
    </header>
    <main ref=${main} tabindex="-1">${children}</main>
    ${overlay && html`<${OVERLAYS[overlay]} core=${core} onClose=${() => setOverlay(null)} key=${overlay} />`}
  </div>`
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
