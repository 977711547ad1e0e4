/** The folders and documents that an assistant searches, chosen from the tree of the knowledge. */

import { useEffect, useState } from 'preact/hooks'
import { faultOf } from '../../data/errors.ts'
import { addressOf } from '../../data/places.ts'
import { useAction } from '../../ui/hooks.ts'
import { toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { PartProps } from '../part.ts'
import { KnowledgeDialog } from './knowledge_dialog.tsx'

/** Undefined until it is read, null when it is gone. */
type Named = { name: string; type: string } | null | undefined

export function KnowledgeCard({ assistants, open, assistant }: PartProps) {
  const [names, setNames] = useState<ReadonlyMap<string, Named>>(new Map())
  const [is_choosing, setChoosing] = useState(false)
  const ids = assistant.knowledge_node_ids
  useEffect(() => {
    for (const id of ids) {
      if (names.has(id)) continue
      open.project.api.get(`knowledge/nodes/${id}`).then(
        ({ name, type }) => setNames((known) => new Map(known).set(id, { name, type })),
        (error) => faultOf(error).status === 404 && setNames((known) => new Map(known).set(id, null)),
      )
    }
  }, [ids.join(' ')])
  const change = async (make: (ids: string[]) => string[]) => {
    // The list is replaced as a whole: what a colleague has changed since it was read must stay.
    const { knowledge_node_ids } = await assistants.api.one(assistant._id)
    assistants.keep(await assistants.api.update(assistant._id, { knowledge_node_ids: make(knowledge_node_ids) }))
  }
  const { run: remove } = useRemove(change)
  return (
    <section class="card assistant-card" aria-labelledby="assistant-knowledge">
      <h2 id="assistant-knowledge">Knowledge</h2>
      <p class="faint">
        It searches these folders, with all that is in them, and documents. What it cites is shown beside its answers.
      </p>
      <ul class="assistant-nodes">
        {ids.map((id) => (
          <li key={id}>
            <Icon name={names.get(id)?.type === 'folder' ? 'folder' : 'file'} />
            <Name id={id} named={names.get(id)} project_id={assistants.project_id} />
            {assistants.may_manage && (
              <button
                type="button"
                class="quiet icon-button"
                aria-label={`Take off ${names.get(id)?.name ?? 'it'}`}
                onClick={() => remove(id)}
              >
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
        {ids.length === 0 && <li>It searches nothing: it knows what its instructions say.</li>}
      </ul>
      {assistants.may_manage && (
        <div class="actions">
          <button type="button" class="button" onClick={() => setChoosing(true)}>
            <Icon name="plus" /> Choose knowledge…
          </button>
        </div>
      )}
      {is_choosing && (
        <KnowledgeDialog
          api={open.project.api}
          chosen={ids}
          onAdd={(added) => change((known) => [...known, ...added.filter((id) => !known.includes(id))])}
          onClose={() => setChoosing(false)}
        />
      )}
    </section>
  )
}

function useRemove(change: (make: (ids: string[]) => string[]) => Promise<void>) {
  const [id, setId] = useState<string | null>(null)
  const { run } = useAction(async () => {
    if (id === null) return
    await change((known) => known.filter((one) => one !== id)).catch((error) =>
      toastFault('It was not taken off', error as Error),
    )
    setId(null)
  })
  useEffect(() => {
    if (id !== null) void run()
  }, [id])
  return { run: setId }
}

function Name({ id, named, project_id }: { id: string; named: Named; project_id: string }) {
  if (named === null) return <span class="faint">A node that is gone</span>
  return (
    <a href={addressOf(project_id, 'knowledge', [id])}>
      <bdi>{named?.name ?? '…'}</bdi>
    </a>
  )
}
