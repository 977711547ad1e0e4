/** Chooses folders and documents of the knowledge, level by level. */

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ProjectApi } from '../../data/project_api.ts'
import { Refusal } from '../../ui/forms/form_end.tsx'
import { useAction } from '../../ui/hooks.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import { FolderNodes } from './folder_nodes.ts'

type Folder = { _id: string; name: string }

export function KnowledgeDialog({
  api,
  chosen,
  onAdd,
  onClose,
}: {
  api: Pick<ProjectApi, 'get'>
  /** Those that the assistant has already. */
  chosen: string[]
  onAdd(ids: string[]): Promise<void>
  onClose(): void
}) {
  /** The folders from the top to the one that is shown. */
  const [path, setPath] = useState<Folder[]>([])
  const [added, setAdded] = useState<string[]>([])
  const at = path.at(-1)?._id ?? null
  const folder = useMemo(() => new FolderNodes(api, at), [api, at])
  useEffect(() => void folder.more(), [folder])
  const { run, is_busy, fault } = useAction(async () => {
    await onAdd(added)
    onClose()
  })
  const { nodes, cursor, state } = folder.shown.value
  const toggle = (id: string) => setAdded(added.includes(id) ? added.filter((one) => one !== id) : [...added, id])
  return (
    <Dialog title="Choose knowledge" onClose={onClose} has_close class="assistant-choose">
      <nav class="assistant-path" aria-label="Folder">
        <button type="button" class="link" onClick={() => setPath([])}>
          Knowledge
        </button>
        {path.map(({ _id, name }, level) => (
          <span key={_id}>
            /{' '}
            <button type="button" class="link" onClick={() => setPath(path.slice(0, level + 1))}>
              {name}
            </button>
          </span>
        ))}
      </nav>
      <ul class="assistant-choices" aria-label="Folders and documents">
        {nodes.map(({ _id, name, type }) => (
          <li key={_id}>
            <label class="assistant-check">
              <input
                type="checkbox"
                checked={chosen.includes(_id) || added.includes(_id)}
                disabled={chosen.includes(_id)}
                onChange={() => toggle(_id)}
              />
              <Icon name={type === 'folder' ? 'folder' : 'file'} /> <span>{name}</span>
            </label>
            {type === 'folder' && (
              <button
                type="button"
                class="quiet icon-button"
                aria-label={`Open ${name}`}
                onClick={() => setPath([...path, { _id, name }])}
              >
                <Icon name="next" />
              </button>
            )}
          </li>
        ))}
        {nodes.length === 0 && (
          <li class="faint">
            {state === 'loading' ? 'Loading…' : state === 'failed' ? 'It could not be loaded.' : 'Nothing is in it.'}
          </li>
        )}
        {cursor && (
          <li>
            <button type="button" class="link" onClick={() => folder.more()}>
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
        <button type="button" class="button primary" disabled={added.length === 0} aria-busy={is_busy} onClick={run}>
          {added.length > 1 ? `Add ${added.length}` : 'Add'}
        </button>
      </div>
    </Dialog>
  )
}
