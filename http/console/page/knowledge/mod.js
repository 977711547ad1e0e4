/** The section of knowledge: the tree of folders and documents, beside one of them, the imports, or a search. */
import { html } from 'htm/preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useActions } from '../app/actions.js'
import { Empty } from '../ui/empty.js'
import { Dialogs } from './dialogs.js'
import { useGuard } from './guard.js'
import { ImportsPage } from './imports_page.js'
import { Knowledge } from './knowledge.js'
import { NodePage } from './node_page.js'
import { importsPlace, knowledgePlaceOf, nodePlace } from './places.js'
import { SearchPage } from './search_page.js'
import { TreePane } from './tree_pane.js'
import { uploadFile } from './upload_file.js'
import { UploadsCard } from './uploads_card.js'

/** @typedef {import('./dialogs.js').Wanted} Wanted */
/**
 * Props that the views of the section share. `ask` opens a dialog.
 *
 * @typedef {{ project: import('../data/project.js').Project, knowledge: Knowledge, ask(wanted: Wanted): void }} Shared
 */

/**
 * @param {import('../app/sections.js').PageProps} props
 */
function View({ console: core, project, place }) {
  const knowledge = project.part('knowledge', () => new Knowledge(project, { send: uploadFile }))
  const wanted = knowledgePlaceOf(place)
  const id = wanted?.page === 'node' ? wanted.id : null
  const [asked, ask] = useState(/** @type {Wanted | null} */ (null))
  useMemo(() => knowledge.show(id), [knowledge, id])
  const open = knowledge.open.value
  const leaving = useGuard(open)

  const name = wanted?.page === 'imports' ? 'Imports' : (open?.stored.value?.name ?? 'Knowledge')
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
  return html`<div class="knowledge" data-keeps-focus data-open=${wanted?.page === 'node' && id === null ? undefined : ''}>
    <${TreePane} ...${shared} current=${id} place=${wanted} folder=${folder} />
    <div class="knowledge-pane">
      ${
        wanted === undefined
          ? html`<${Empty} level=${1} title="There is nothing here" text="The address is wrong.">
              <a class="button" href=${nodePlace(project.id)}>Go to the knowledge</a>
            <//>`
          : wanted.page === 'imports'
            ? html`<${ImportsPage} ...${shared} status=${wanted.status} />`
            : wanted.page === 'search'
              ? html`<${SearchPage} ...${shared} q=${wanted.q} inside=${wanted.inside} />`
              : html`<${NodePage} ...${shared} open=${open} marks=${wanted.marks} key=${id} />`
      }
      <${UploadsCard} ...${shared} />
    </div>
    ${asked && html`<${Dialogs} ...${shared} wanted=${asked} onClose=${() => ask(null)} key=${JSON.stringify(asked)} />`}
    ${leaving}
  </div>`
}

/** @param {string} address */
function go(address) {
  location.hash = address
}

export const page = { View }
