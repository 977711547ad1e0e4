/**
 * The work of the frame beside drawing, on all pages: the keys and commands of the sections and of the other projects, the focus
 * after a change of the place, and files that were dropped beside a field.
 */

import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Console } from '../../core/console.ts'
import type { Place } from '../../data/place.ts'
import { addressOf } from '../../data/places.ts'
import type { Named, Session } from '../../records/session.ts'
import { useActions } from '../../ui/actions.ts'
import type { Section } from '../sections.ts'
import type { Overlay } from './overlay.ts'
import { useFocusOfPlace } from './place_focus.ts'
import { useStrayFiles } from './stray_files.ts'

export function FrameActions({
  core,
  main,
  session,
  named,
  place,
  sections,
  hrefOf,
  setOverlay,
}: {
  core: Console
  main: RefObject<HTMLElement>
  session: Session
  named: Named | undefined
  place: Place
  sections: Section[]
  hrefOf(section: string): string
  setOverlay(overlay: Overlay): void
}) {
  useFocusOfPlace(core, main)
  useStrayFiles()
  useSectionInSight(place.section)
  useActions(() => {
    const go = sections.map(({ section, name, keys }) => ({
      text: `Go to ${name}`,
      group: 'Navigation',
      icon: section,
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
  return null
}

/**
 * On phones the row of sections scrolls: the one of the page goes to its middle. The focus and the page stay where they are.
 */
function useSectionInSight(section: string) {
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
