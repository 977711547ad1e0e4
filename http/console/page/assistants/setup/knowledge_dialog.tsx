/** Chooses folders and documents of the knowledge, level by level. */

import { useEffect, useState } from 'preact/hooks'
import type { Tree } from '../../knowledge/tree/tree.ts'
import { Refusal } from '../../ui/forms/form_end.tsx'
import { useAction } from '../../ui/hooks.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'

export function KnowledgeDialog({
  tree,
  chosen,
  onAdd,
  onClose,
}: {
  tree: Tree
  /** Those that the assistant has already. */
  chosen: string[]
  onAdd(ids: string[]): Promise<void>
  onClose(): void
}) {
  void tree.version.value
  const [at, setAt] = useState<string | null>(null)
  const [added, setAdded] = useState<string[]>([])
  useEffect(() => void tree.load(at), [at])
  const { run, is_busy, fault } = useAction(async () => {
    await onAdd(added)
    onClose()
  })
  const branch = tree.branch(at)
  const nodes = tree.nodesIn(at)
  const toggle = (id: string) => setAdded(added.includes(id) ? added.filter((one) => one !== id) : [...added, id])
  return (
    <Dialog title="Choose knowledge" onClose={onClose} has_close class="assistant-choose">
      <nav class="assistant-path" aria-label="Folder">
        <button type="button" class="link" onClick={() => setAt(null)}>
          Knowledge
        </button>
        {tree.pathTo(at).map(({ _id, name }) => (
          <span key={_id}>
            /{' '}
            <button type="button" class="link" onClick={() => setAt(_id)}>
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
              <button type="button" class="quiet icon-button" aria-label={`Open ${name}`} onClick={() => setAt(_id)}>
                <Icon name="next" />
              </button>
            )}
          </li>
        ))}
        {nodes.length === 0 && (
          <li class="faint">
            {branch?.state === 'loading' || !branch
              ? 'Loading…'
              : branch.state === 'failed'
                ? 'It could not be loaded.'
                : 'Nothing is in it.'}
          </li>
        )}
        {branch?.cursor && (
          <li>
            <button type="button" class="link" onClick={() => tree.readMore(at)}>
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
