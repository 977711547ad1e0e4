/**
 * Contacts and customers: lists with a search, and a page for each of them.
 *
 * Places: `places.ts`.
 */

import { useEffect, useMemo } from 'preact/hooks'
import type { PageProps } from '../core/section_page.ts'
import { lazy } from '../ui/lazy.tsx'
import { ListPage } from './list_page.tsx'
import { People } from './people.ts'
import { peoplePlaceOf } from './places.ts'

const PersonPage = lazy(() => import('./person_page.tsx').then((module) => module.PersonPage))

function View({ console: core, project, place }: PageProps) {
  const people = project.part('people', () => new People(project))
  const { kind, id, filter } = peoplePlaceOf(place)
  const key = JSON.stringify(filter)
  useMemo(() => id === undefined && people.show(kind, filter), [people, kind, id, key])
  useEffect(() => {
    if (id === undefined) core.title.value = kind === 'contact' ? 'Contacts' : 'Customers'
  }, [core, kind, id])
  const list = people.list.value
  if (id !== undefined) {
    return <PersonPage console={core} project={project} people={people} kind={kind} id={id} key={`${kind} ${id}`} />
  }
  return list && <ListPage project={project} list={list} kind={kind} filter={filter} />
}

export const page = { View }
