/** The pane of the tree: the search, what can be added, and the tree. */

import { useEffect, useState } from 'preact/hooks'
import type { Project } from '../../data/project.ts'
import { PHONE, useMedia } from '../../ui/media.ts'
import { Menu, type MenuItem } from '../../ui/overlays/menu.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import { importsPlace, type KnowledgePlace, nodePlace, searchPlace } from '../places.ts'
import type { Shared } from '../shared.ts'
import { TreeView } from './tree_view.tsx'

/** Pause in typing after which a search that is shown is asked anew. */
const PAUSE_MS = 250

export function TreePane({
  project,
  knowledge,
  ask,
  current,
  folder,
  place,
}: Shared & {
  current: string | null
  folder: string | null
  place: KnowledgePlace | undefined
}) {
  const { length: sending } = knowledge.uploads.list.value.filter(({ state }) => state !== 'done' && state !== 'failed')
  // The page of the node, which has the heading otherwise, is not shown then.
  const is_phone = useMedia(PHONE)
  const items: MenuItem[] = [
    { text: 'New document', icon: 'file', keys: 'c', act: () => ask({ kind: 'document', folder }) },
    { text: 'New folder', icon: 'folder', act: () => ask({ kind: 'folder', folder }) },
    'line',
    { text: 'Import files…', icon: 'upload', act: () => ask({ kind: 'files', folder }) },
    { text: 'Import web pages…', icon: 'link', act: () => ask({ kind: 'addresses', folder }) },
  ]
  return (
    <aside class="knowledge-side" aria-label="Tree of knowledge">
      <div class="knowledge-head">
        <div class="knowledge-title">
          <h2 aria-level={is_phone ? 1 : 2}>
            <a class="knowledge-home" href={nodePlace(project.id)}>
              Knowledge
            </a>
          </h2>
          <a
            class="quiet icon-button"
            href={importsPlace(project.id)}
            aria-label={sending > 0 ? `Imports, ${sending} under way` : 'Imports'}
            title="Imports"
            aria-current={place?.page === 'imports' ? 'page' : undefined}
          >
            <Icon name="clock" />
            {sending > 0 && <span class="knowledge-count">{sending}</span>}
          </a>
          <Menu
            id="knowledge-add"
            class="quiet icon-button"
            label="Add"
            title="Add"
            button={<Icon name="plus" />}
            items={items}
          />
        </div>
        <SearchField project={project} place={place} />
      </div>
      <TreeView project={project} knowledge={knowledge} ask={ask} current={current} />
    </aside>
  )
}

function SearchField({ project, place }: { project: Project; place: KnowledgePlace | undefined }) {
  const search_place = place?.page === 'search' ? place : undefined
  const [text, setText] = useState(search_place?.q ?? '')
  useEffect(() => {
    setText(search_place?.q ?? '')
  }, [search_place === undefined])
  const search = () => {
    if (text.trim() === '') return
    const address = searchPlace(project.id, text.trim(), search_place?.inside)
    if (search_place) location.replace(address)
    else location.hash = address
  }
  // While results are shown, they follow what is typed.
  useEffect(() => {
    if (!search_place || text.trim() === '' || text.trim() === search_place.q) return
    const timer = setTimeout(search, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const submitted = (event: SubmitEvent) => {
    event.preventDefault()
    search()
  }
  return (
    <form class="search knowledge-search" role="search" onSubmit={submitted}>
      <Icon name="search" />
      <input
        id="knowledge-search"
        type="search"
        maxlength={400}
        placeholder="Search documents"
        aria-label="Search documents"
        autocomplete="off"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </form>
  )
}
