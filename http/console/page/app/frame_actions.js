/**
 * The work of the frame beside drawing, on all pages: the keys and commands of the sections and of the other projects, the focus
 * after a change of the place, and files that were dropped beside a field.
 */
import { html } from 'htm/preact'
import { useEffect } from 'preact/hooks'
import { useActions } from './actions.js'
import { useFocusOfPlace } from './place_focus.js'
import { addressOf } from './places.js'
import { useStrayFiles } from './stray_files.js'

/** @typedef {import('./frame.js').Overlay} Overlay */

/**
 * @param {{
 *   core: import('./console.js').Console
 *   main: import('preact').RefObject<HTMLElement>
 *   session: import('../../page_types/session.ts').Session
 *   named: import('../../page_types/session.ts').Named | undefined
 *   place: import('../../page_types/place.ts').Place
 *   sections: import('./sections.js').Section[]
 *   hrefOf(section: string): string
 *   setOverlay(overlay: Overlay): void
 * }} props
 */
export function FrameActions({ core, main, session, named, place, sections, hrefOf, setOverlay }) {
  useFocusOfPlace(core, main)
  useStrayFiles()
  useSectionInSight(place.section)
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
  return html``
}

/**
 * On phones the row of sections scrolls: the one of the page goes to its middle. The focus and the page stay where they are.
 *
 * @param {string} section
 */
function useSectionInSight(section) {
  useEffect(() => {
    const current = document.querySelector('.sections [aria-current]')
    const row = current?.parentElement
    if (!(current instanceof HTMLElement) || !row) return
    const show = () => {
      const { left, width } = current.getBoundingClientRect()
      row.scrollLeft += left + width / 2 - row.getBoundingClientRect().left - row.clientWidth / 2
    }
    show()
    const observer = new ResizeObserver(show)
    observer.observe(row)
    return () => observer.disconnect()
  }, [section])
}
