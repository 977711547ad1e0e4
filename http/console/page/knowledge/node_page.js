/** A folder with its nodes, or a document. */
import { html } from 'htm/preact'
import { useEffect } from 'preact/hooks'
import { Empty } from '../ui/empty.js'
import { Icon } from '../ui/icons.js'
import { Menu } from '../ui/menu.js'
import { Moment } from '../ui/moment.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { DocumentPage } from './document_page.js'
import { useDrop } from './drop.js'
import { nodeItems } from './node_items.js'
import { nodePlace } from './places.js'
import { statusOf } from './words.js'

/** @typedef {import('./mod.js').Shared} Shared */

/**
 * @param {Shared & { open: import('./document.js').OpenDocument | null, marks: string }} props
 */
export function NodePage({ open, marks, ...shared }) {
  const { project, knowledge } = shared
  if (open === null) return html`<${FolderPage} ...${shared} id=${null} />`
  const state = open.state.value
  const stored = open.stored.value
  const known = knowledge.tree.node(open.id)
  if (state === 'gone' && !open.is_dirty.value) {
    return html`<${Empty} level=${1} icon="trash" title="It is not here any more" text="Somebody deleted it, or the address is wrong.">
      <a class="button" href=${nodePlace(project.id)}>Go to the knowledge</a>
    <//>`
  }
  if (state === 'failed') {
    return html`<div class="page"><${Trouble} title="It could not be loaded" error=${open.fault.value} onRetry=${() => open.read()} /></div>`
  }
  if ((stored ?? known)?.type === 'folder') return html`<${FolderPage} ...${shared} id=${open.id} />`
  if (!stored) return html`<div class="page"><${Waiting} label="Loading the document" rows=${3} /></div>`
  return html`<${DocumentPage} ...${shared} open=${open} marks=${marks} />`
}

/**
 * The way from the top to a node.
 *
 * @param {Pick<Shared, 'project' | 'knowledge'> & { id: string | null }} props
 */
export function Path({ project, knowledge, id }) {
  const above = knowledge.tree.pathTo(id).filter(({ _id }) => _id !== id)
  return html`<nav class="knowledge-path" aria-label="Folders above">
    <a href=${nodePlace(project.id)}>Knowledge</a>
    ${above.map(({ _id, name }) => html`<span key=${_id}>/ <a href=${nodePlace(project.id, _id)}>${name}</a></span>`)}
  </nav>`
}

/**
 * @param {Shared & { id: string | null }} props
 */
function FolderPage({ id, ...shared }) {
  const { project, knowledge, ask } = shared
  const { tree, uploads } = knowledge
  void tree.version.value
  useEffect(() => void tree.load(id), [tree, id])
  const node = id === null ? undefined : tree.node(id)
  const branch = tree.branch(id)
  const nodes = tree.nodesIn(id)
  const drop = useDrop({
    canTake: (one, folder) => tree.canMove(one, folder),
    onNode: () => {},
    onFiles: (files, folder) => uploads.addFiles(files, folder),
  })
  return html`<div class=${drop.target === null ? 'knowledge-page' : 'knowledge-page is-target'} ...${drop.on(id)}>
    ${id !== null && html`<${Path} project=${project} knowledge=${knowledge} id=${id} />`}
    <div class="page-head">
      <h1 tabindex="-1">${node?.name ?? 'Knowledge'}</h1>
      <div class="actions">
        <button type="button" class="button primary" onClick=${() => ask({ kind: 'document', folder: id })}><${Icon} name="plus" /> New document</button>
        <button type="button" class="button" onClick=${() => ask({ kind: 'folder', folder: id })}><${Icon} name="folder" /> New folder</button>
        <button type="button" class="button" onClick=${() => ask({ kind: 'files', folder: id })}><${Icon} name="upload" /> Import files</button>
        <button type="button" class="button" onClick=${() => ask({ kind: 'addresses', folder: id })}><${Icon} name="link" /> Import web pages</button>
        ${node && html`<${Menu} id="folder-actions" class="button icon-button" label="More actions" button=${html`<${Icon} name="more" />`} items=${nodeItems(node, ask).slice(5)} />`}
      </div>
    </div>
    ${branch?.state === 'failed' && nodes.length === 0 && html`<${Trouble} title="The folder could not be loaded" error=${branch.fault} onRetry=${() => tree.load(id)} />`}
    ${(!branch || (branch.state === 'loading' && nodes.length === 0)) && html`<${Waiting} label="Loading the folder" rows=${4} />`}
    ${branch?.state === 'ready' && nodes.length === 0 && html`<${NoNodes} is_top=${id === null} />`}
    ${
      nodes.length > 0 &&
      html`<ul class="card knowledge-list">
        ${nodes.map((one) => html`<${Line} project=${project} node=${one} key=${one._id} />`)}
        ${branch?.cursor && html`<li class="knowledge-line"><button type="button" class="quiet" onClick=${() => tree.readMore(id)}>Show more</button></li>`}
      </ul>
      <p class="faint knowledge-hint"><${Icon} name="upload" /> Drop files anywhere here to import them.</p>`
    }
  </div>`
}

/**
 * @param {{ project: Shared['project'], node: import('../../page_types/knowledge.ts').TreeNode }} props
 */
function Line({ project, node }) {
  const is_folder = node.type === 'folder'
  const { text, badge } = statusOf(node)
  return html`<li class="knowledge-line">
    <${Icon} name=${is_folder ? 'folder' : node.source_url ? 'link' : 'file'} />
    <a href=${nodePlace(project.id, node._id)}>${node.name}</a>
    ${!is_folder && html`<span class=${`badge ${badge}`}>${text}</span>`}
    <span class="faint knowledge-when"><${Moment} at=${node.updated_at} /></span>
  </li>`
}

/**
 * @param {{ is_top: boolean }} props
 */
function NoNodes({ is_top }) {
  return is_top
    ? html`<div class="card"><${Empty} icon="knowledge" title="Teach your assistants" text="Write documents, or import the files and web pages you have. Assistants answer from them, and agents find them here." /></div>`
    : html`<div class="card"><${Empty} icon="folder" title="The folder is empty" text="Write a document, or drop files here." /></div>`
}
