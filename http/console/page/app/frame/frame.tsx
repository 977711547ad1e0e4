/** The frame around each section: navigation, the agent, the state of the live connection, and what lies above all. */

import type { ComponentChildren, TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import type { Console } from '../../core/console.ts'
import { addressOf } from '../../data/places.ts'
import type { Named, Session } from '../../records/session.ts'
import { useElement } from '../../ui/hooks.ts'
import { Keys } from '../../ui/keys.tsx'
import { lazy } from '../../ui/lazy.tsx'
import { Icon, Mark } from '../../ui/pictures/icons.tsx'
import { loadStyles } from '../../ui/styles/styles.ts'
import { sectionsOf } from '../sections.ts'
import type { Overlay } from './overlay.ts'

/** Parts that open above the page. */
const OVERLAYS = {
  palette: lazy(() => import('../palette/palette.tsx').then(({ Palette }) => Palette)),
  keys: lazy(() => import('./keys_dialog.tsx').then(({ KeysDialog }) => KeysDialog)),
  password: lazy(() => import('../sign_in/password_dialog.tsx').then(({ PasswordDialog }) => PasswordDialog)),
  settings: lazy(() => import('../agent/settings.tsx').then(({ Settings }) => Settings)),
}

/** Parts that the first view does without. */
const FrameActions = lazy(() => import('./frame_actions.tsx').then((module) => module.FrameActions))
const Attention = lazy(() => import('./attention.tsx').then((module) => module.Attention))
const Agent = lazy(() => import('../agent/agent.tsx').then((module) => module.Agent))
const Toasts = lazy(() => import('../../ui/overlays/toasts.tsx').then((module) => module.Toasts))
const LiveState = lazy(() => import('./live_state.tsx').then((module) => module.LiveState))
const Unsent = lazy(async () => (await Promise.all([import('./unsent.tsx'), loadStyles(['outbox.css'])]))[0].Unsent)
const Bell = lazy(async () => (await Promise.all([import('../bell/bell.tsx'), loadStyles(['bell.css'])]))[0].Bell)

export function Frame({ core, session, children }: { core: Console; session: Session; children: ComponentChildren }) {
  const place = core.place.value
  const project = core.project.value
  const named = core.named.value
  const sections = sectionsOf(session)
  const main = useElement<HTMLElement>()
  const [overlay, setOverlay] = useState<Overlay | null>(null)

  const Above = overlay && OVERLAYS[overlay]
  const hrefOf = (section: string) => (section === 'ops' ? '#/ops' : named ? addressOf(named._id, section) : '#')

  const unread = core.unread.value > 99 ? '99+' : core.unread.value
  return (
    <div class="frame">
      <FrameActions {...{ core, session, named, place, sections, main, hrefOf, setOverlay }} />
      {project && <Attention core={core} project={project} key={project.id} />}
      <button type="button" class="skip button" onClick={() => main.current.focus()}>
        Skip to content
      </button>
      <header class="side">
        <a class="brand" href={hrefOf('inbox')}>
          <Mark /> <span>Parley</span>
        </a>
        <Projects session={session} named={named} section={place.section} />
        <button
          type="button"
          class="search-button"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => setOverlay('palette')}
        >
          <Icon name="search" /> <span>Search or command</span> <Keys keys="mod+k" />
        </button>
        {project ? <Bell project={project} key={project.id} /> : <div class="bell"></div>}
        <nav class="sections" aria-label="Sections">
          {sections.map(({ section, name }) => (
            <a href={hrefOf(section)} aria-current={section === place.section ? 'page' : undefined} key={section}>
              <Icon name={section} /> <span>{name}</span>
              {section === 'inbox' && unread !== 0 && (
                <span class="count">
                  {unread}
                  <span class="aside"> unread</span>
                </span>
              )}
            </a>
          ))}
        </nav>
        <Toasts />
        {core.outboxes.value && <Unsent outboxes={core.outboxes.value} />}
        <LiveState state={core.live_state.value} />
        <Agent
          core={core}
          user={session.user}
          onSettings={() => setOverlay('settings')}
          onKeys={() => setOverlay('keys')}
          onPassword={() => setOverlay('password')}
        />
      </header>
      <main ref={main} tabindex={-1}>
        {children}
      </main>
      {Above && <Above core={core} onClose={() => setOverlay(null)} key={overlay} />}
    </div>
  )
}

function Projects({
  session: { company, projects },
  named,
  section,
}: {
  session: Session
  named: Named | undefined
  section: string
}) {
  if (projects.length < 2) {
    return (
      <div class="projects">
        <span class="company">{company.name}</span>
        <span class="project">{named?.name ?? projects[0]?.name}</span>
      </div>
    )
  }
  const choose = ({ currentTarget }: TargetedEvent<HTMLSelectElement>) => {
    location.hash = addressOf(currentTarget.value, named ? section : undefined)
  }
  return (
    <label class="projects">
      <span class="company">{company.name}</span>
      <span class="aside">Project</span>
      <span class="select">
        <select value={named?._id ?? ''} onChange={choose}>
          {!named && (
            <option value="" disabled>
              Choose a project
            </option>
          )}
          {projects.map(({ _id, name }) => (
            <option value={_id} key={_id}>
              {name}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </span>
    </label>
  )
}
