/** The section of knowledge: the tree of folders and documents, beside one of them, the imports, or a search. */

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { PageProps } from '../core/section_page.ts'
import { useActions } from '../ui/actions.ts'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Dialogs } from './dialogs.tsx'
import { useGuard } from './guard.tsx'
import { ImportsPage } from './imports/imports_page.tsx'
import { uploadFile } from './imports/upload_file.ts'
import { UploadsCard } from './imports/uploads_card.tsx'
import { Knowledge } from './knowledge.ts'
import { NodePage } from './node_page.tsx'
import { importsPlace, knowledgePlaceOf, nodePlace } from './places.ts'
import { SearchPage } from './search/search_page.tsx'
import type { DialogRequest } from './shared.ts'
import { TreePane } from './tree/tree_pane.tsx'

function View({ console: core, project, place }: PageProps) {
  const knowledge = project.part('knowledge', () => new Knowledge(project, { send: uploadFile }))
  const target = knowledgePlaceOf(place)
  const id = target?.page === 'node' ? target.id : null
  const [asked, ask] = useState<DialogRequest | null>(null)
  useMemo(() => knowledge.show(id), [knowledge, id])
  const open = knowledge.open.value
  const leaving = useGuard(open)

  const name = target?.page === 'imports' ? 'Imports' : (open?.stored.value?.name ?? 'Knowledge')
  const is_dirty = open?.is_dirty.value ?? false
  useEffect(() => {
    core.title.value = is_dirty ? `• ${name}` : name
  }, [core, name, is_dirty])

  // The tree keeps the focus; one that went with what was left goes to the heading.
  const where = place.path.join(' ')
  useEffect(() => {
    if (document.activeElement === document.body) document.querySelector('h1')?.focus({ preventScroll: true })
  }, [where])

  // New nodes go into the folder that is open, or into that of the document.
  const stored = open?.stored.value
  const folder = stored ? (stored.type === 'folder' ? stored._id : stored.parent_id) : null
  useActions(
    () => [
      {
        text: 'New document',
        group: 'Knowledge',
        icon: 'file',
        keys: 'c',
        act: () => ask({ kind: 'document', folder }),
      },
      { text: 'New folder', group: 'Knowledge', icon: 'folder', act: () => ask({ kind: 'folder', folder }) },
      { text: 'Import files', group: 'Knowledge', icon: 'upload', act: () => ask({ kind: 'files', folder }) },
      { text: 'Import web pages', group: 'Knowledge', icon: 'link', act: () => ask({ kind: 'addresses', folder }) },
      { text: 'Show imports', group: 'Knowledge', icon: 'clock', act: () => go(importsPlace(project.id)) },
      {
        text: 'Search the knowledge',
        group: 'Knowledge',
        icon: 'search',
        keys: '/',
        act: () => document.getElementById('knowledge-search')?.focus(),
      },
    ],
    [project, folder],
  )

  const shared = { project, knowledge, ask }
  return (
    <div class="knowledge" data-keeps-focus data-open={target?.page === 'node' && id === null ? undefined : ''}>
      <TreePane {...shared} current={id} place={target} folder={folder} />
      <div class="knowledge-pane">
        {target === undefined ? (
          <Empty level={1} title="There is nothing here" text="The address is wrong.">
            <a class="button" href={nodePlace(project.id)}>
              Go to the knowledge
            </a>
          </Empty>
        ) : target.page === 'imports' ? (
          <ImportsPage {...shared} status={target.status} />
        ) : target.page === 'search' ? (
          <SearchPage {...shared} q={target.q} inside={target.inside} />
        ) : (
          <NodePage {...shared} open={open} marks={target.marks} key={id} />
        )}
        <UploadsCard {...shared} />
      </div>
      {asked && <Dialogs {...shared} request={asked} onClose={() => ask(null)} key={JSON.stringify(asked)} />}
      {leaving}
    </div>
  )
}

function go(address: string) {
  location.hash = address
}

export const page = { View }
