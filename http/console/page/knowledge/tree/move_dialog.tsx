/** Chooses the folder that a node is moved into, level by level. */

import { useEffect, useState } from 'preact/hooks'
import { Refusal } from '../../ui/forms/form_end.tsx'
import { useAction } from '../../ui/hooks.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { toast } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { Shared } from '../shared.ts'

export function MoveDialog({ knowledge, id, onClose }: Shared & { id: string; onClose(): void }) {
  const { tree } = knowledge
  void tree.version.value
  const node = tree.node(id)
  const [at, setAt] = useState(node?.parent_id ?? null)
  useEffect(() => void tree.load(at), [at])
  const { run, is_busy, fault } = useAction(async () => {
    await tree.move(id, at)
    onClose()
    toast(`“${node?.name}” was moved to ${name(at)}`)
  })
  const name = (folder: string | null) => (folder === null ? 'the top' : `“${tree.node(folder)?.name ?? 'the folder'}”`)
  const path = tree.pathTo(at)
  const folders = tree.nodesIn(at).filter(({ type }) => type === 'folder')
  const branch = tree.branch(at)
  /** The button that was pressed may be gone. */
  const go = (folder: string | null) => {
    setAt(folder)
    setTimeout(() => {
      const next = document.querySelector('.knowledge-folders button:not(:disabled), .knowledge-move .primary')
      if (next instanceof HTMLElement) next.focus()
    })
  }
  return (
    <Dialog title={`Move “${node?.name}”`} onClose={onClose} has_close class="knowledge-move">
      <nav class="knowledge-path" aria-label="Chosen folder">
        <button type="button" class="link" onClick={() => go(null)}>
          Knowledge
        </button>
        {path.map((one) => (
          <span key={one._id}>
            /{' '}
            <button type="button" class="link" onClick={() => go(one._id)}>
              {one.name}
            </button>
          </span>
        ))}
      </nav>
      <ul class="knowledge-folders" aria-label="Folders in it">
        {folders.map((folder) => (
          <li key={folder._id}>
            <button type="button" class="menu-item" disabled={folder._id === id} onClick={() => go(folder._id)}>
              <Icon name="folder" /> <span>{folder.name}</span> <Icon name="next" />
            </button>
          </li>
        ))}
        {folders.length === 0 && <li class="faint">{branch?.state === 'loading' ? 'Loading…' : 'No folders in it'}</li>}
        {branch?.cursor && (
          <li>
            <button type="button" class="menu-item" onClick={() => tree.readMore(at)}>
              Show more
            </button>
          </li>
        )}
      </ul>
      <Refusal fault={fault} />
      <div class="actions">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="button primary" aria-busy={is_busy} disabled={!tree.canMove(id, at)} onClick={run}>
          Move to {name(at)}
        </button>
      </div>
    </Dialog>
  )
}
