/**
 * Contacts and customers: lists with a search, and a page for each of them.
 *
 * Places: `places.js`.
 */
import { html } from 'htm/preact'
import { useEffect, useMemo } from 'preact/hooks'
import { lazy } from '../ui/lazy.js'
import { ListPage } from './list_page.js'
import { People } from './people.js'
import { peoplePlaceOf } from './places.js'

const PersonPage = lazy(() => import('./person_page.js').then((module) => module.PersonPage))

/**
 * @param {import('../app/sections.js').PageProps} props
 */
function View({ console: core, project, place }) {
  const people = project.part('people', () => new People(project))
  const { kind, id, filter } = peoplePlaceOf(place)
  const key = JSON.stringify(filter)
  useMemo(() => id === undefined && people.show(kind, filter), [people, kind, id, key])
  useEffect(() => {
    if (id === undefined) core.title.value = kind === 'contact' ? 'Contacts' : 'Customers'
  }, [core, kind, id])
  const list = people.list.value
  if (id !== undefined) {
    return html`<${PersonPage} console=${core} project=${project} people=${people} kind=${kind} id=${id} key=${`${kind} ${id}`} />`
  }
  return list && html`<${ListPage} project=${project} list=${list} kind=${kind} filter=${filter} />`
}

export const page = { View }
