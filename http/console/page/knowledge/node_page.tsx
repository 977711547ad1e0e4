/** A folder with its nodes, or a document. */

import { useEffect } from 'preact/hooks'
import type { TreeNode } from '../records/knowledge.ts'
import { Moment } from '../ui/format/moment.tsx'
import { Menu } from '../ui/overlays/menu.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import type { OpenDocument } from './document/document.ts'
import { DocumentPage } from './document/document_page.tsx'
import { nodeItems } from './node_items.ts'
import { Path } from './path.tsx'
import { nodePlace } from './places.ts'
import type { Shared } from './shared.ts'
import { useDrop } from './tree/drop.ts'
import { statusOf } from './words.ts'

export function NodePage({ open, marks, ...shared }: Shared & { open: OpenDocument | null; marks: string }) {
  const { project, knowledge } = shared
  if (open === null) return <FolderPage {...shared} id={null} />
  const state = open.state.value
  const stored = open.stored.value
  const known = knowledge.tree.node(open.id)
  if (state === 'gone' && !open.is_dirty.value) {
    return (
      <Empty
        level={1}
        icon="trash"
        title="It is not here any more"
        text="Somebody deleted it, or the address is wrong."
      >
        <a class="button" href={nodePlace(project.id)}>
          Go to the knowledge
        </a>
      </Empty>
    )
  }
  if (state === 'failed') {
    return (
      <div class="page">
        <Trouble title="It could not be loaded" error={open.fault.value} onRetry={() => open.read()} />
      </div>
    )
  }
  if ((stored ?? known)?.type === 'folder') return <FolderPage {...shared} id={open.id} />
  if (!stored)
    return (
      <div class="page">
        <Waiting label="Loading the document" rows={3} />
      </div>
    )
  return <DocumentPage {...shared} open={open} marks={marks} />
}

function FolderPage({ id, ...shared }: Shared & { id: string | null }) {
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
  return (
    <div class={drop.target === null ? 'knowledge-page' : 'knowledge-page is-target'} {...drop.on(id)}>
      {id !== null && <Path project={project} knowledge={knowledge} id={id} />}
      <div class="page-head">
        <h1 tabindex={-1}>{node?.name ?? 'Knowledge'}</h1>
        <div class="actions">
          <button type="button" class="button primary" onClick={() => ask({ kind: 'document', folder: id })}>
            <Icon name="plus" /> New document
          </button>
          <button type="button" class="button" onClick={() => ask({ kind: 'folder', folder: id })}>
            <Icon name="folder" /> New folder
          </button>
          <button type="button" class="button" onClick={() => ask({ kind: 'files', folder: id })}>
            <Icon name="upload" /> Import files
          </button>
          <button type="button" class="button" onClick={() => ask({ kind: 'addresses', folder: id })}>
            <Icon name="link" /> Import web pages
          </button>
          {node && (
            <Menu
              id="folder-actions"
              class="button icon-button"
              label="More actions"
              button={<Icon name="more" />}
              items={nodeItems(node, ask).slice(5)}
            />
          )}
        </div>
      </div>
      {branch?.state === 'failed' && nodes.length === 0 && (
        <Trouble title="The folder could not be loaded" error={branch.fault} onRetry={() => tree.load(id)} />
      )}
      {(!branch || (branch.state === 'loading' && nodes.length === 0)) && (
        <Waiting label="Loading the folder" rows={4} />
      )}
      {branch?.state === 'ready' && nodes.length === 0 && <NoNodes is_top={id === null} />}
      {nodes.length > 0 && (
        <>
          <ul class="card knowledge-list">
            {nodes.map((one) => (
              <Line project={project} node={one} key={one._id} />
            ))}
            {branch?.cursor && (
              <li class="knowledge-line">
                <button type="button" class="quiet" onClick={() => tree.readMore(id)}>
                  Show more
                </button>
              </li>
            )}
          </ul>
          <p class="faint knowledge-hint">
            <Icon name="upload" /> Drop files anywhere here to import them.
          </p>
        </>
      )}
    </div>
  )
}

function Line({ project, node }: { project: Shared['project']; node: TreeNode }) {
  const is_folder = node.type === 'folder'
  const { text, badge } = statusOf(node)
  return (
    <li class="knowledge-line">
      <Icon name={is_folder ? 'folder' : node.source_url ? 'link' : 'file'} />
      <a href={nodePlace(project.id, node._id)}>{node.name}</a>
      {!is_folder && <span class={`badge ${badge}`}>{text}</span>}
      <span class="faint knowledge-when">
        <Moment at={node.updated_at} />
      </span>
    </li>
  )
}

function NoNodes({ is_top }: { is_top: boolean }) {
  return is_top ? (
    <div class="card">
      <Empty
        icon="knowledge"
        title="Teach your assistants"
        text="Write documents, or import the files and web pages you have. Assistants answer from them, and agents find them here."
      />
    </div>
  ) : (
    <div class="card">
      <Empty icon="folder" title="The folder is empty" text="Write a document, or drop files here." />
    </div>
  )
}
