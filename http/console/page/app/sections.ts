/**
 * The sections of the console, in the order of the navigation. Each is a module of its own, loaded when it is first
 * opened; the inbox comes with the page.
 *
 * A module exports `page`, a `SectionPage`: `View` draws a place of the section, `title` names it for the browser's tab.
 * `styles` are loaded before the first drawing. A new section is one line here, a folder beside this one, and an icon
 * with its name in `ui/pictures/icons.tsx`.
 */

import type { SectionPage } from '../core/section_page.ts'
import type { Session } from '../records/session.ts'
import type { IconName } from '../ui/pictures/icons.tsx'

/**
 * `keys` open it. `commands` of the palette lead to places in it, from everywhere. `isOffered` decides by the session; without it everybody has the section. Places of `wide` sections
 * have the whole window, without margins.
 */
export type Section = {
  section: IconName
  name: string
  keys: string
  load(): Promise<{ page: SectionPage }>
  styles?: string[]
  commands?: { text: string; path: string[]; icon: IconName }[]
  isOffered?(session: Session): boolean
  has_no_project?: boolean
}

const SECTIONS: Section[] = [
  { section: 'inbox', name: 'Inbox', keys: 'g i', load: () => import('../inbox/mod.tsx') },
  {
    section: 'board',
    name: 'Board',
    keys: 'g b',
    load: () => import('../board/mod.tsx'),
    styles: ['board.css', 'panel.css'],
  },
  {
    section: 'contacts',
    name: 'Contacts',
    keys: 'g c',
    load: () => import('../people/mod.tsx'),
    styles: ['people.css', 'panel.css'],
  },
  {
    section: 'broadcasts',
    name: 'Broadcasts',
    keys: 'g s',
    load: () => import('../broadcasts/mod.tsx'),
    styles: ['broadcasts.css', 'broadcast.css', 'compose.css', 'templates.css'],
    commands: [{ text: 'New broadcast', path: ['new'], icon: 'plus' }],
  },
  {
    section: 'knowledge',
    name: 'Knowledge',
    keys: 'g k',
    load: () => import('../knowledge/mod.tsx'),
    styles: ['knowledge.css', 'document.css'],
  },
  {
    section: 'assistants',
    name: 'Assistants',
    keys: 'g t',
    load: () => import('../assistants/mod.tsx'),
    styles: ['assistants.css'],
    commands: [{ text: 'New assistant', path: ['new'], icon: 'plus' }],
  },
  {
    section: 'appointments',
    name: 'Appointments',
    keys: 'g a',
    load: () => import('../appointments/mod.tsx'),
    styles: ['appointments.css'],
  },
  {
    section: 'costs',
    name: 'Costs',
    keys: 'g m',
    load: () => import('../costs/mod.tsx'),
    styles: ['costs.css'],
  },
  {
    section: 'webhooks',
    name: 'Webhooks',
    keys: 'g w',
    load: () => import('../webhooks/mod.tsx'),
    styles: ['webhooks.css'],
    commands: [{ text: 'New webhook', path: ['new'], icon: 'plus' }],
  },
  {
    section: 'ops',
    name: 'Operations',
    keys: 'g o',
    load: () => import('../ops/mod.tsx'),
    styles: ['ops.css', 'overview.css'],
    isOffered: ({ user }) => user.permissions.includes('console.operator'),
    has_no_project: true,
  },
]

/** The sections that a session has. */
export function sectionsOf(session: Session) {
  return SECTIONS.filter(({ isOffered }) => isOffered?.(session) ?? true)
}
