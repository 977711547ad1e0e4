/** Saving the list as a view, renaming and deleting one. */

import { useState } from 'preact/hooks'
import { inboxPlace } from '../crm/inbox_places.ts'
import type { Project } from '../data/project.ts'
import type { InboxFilter } from '../records/inbox.ts'
import { Field, Switch } from '../ui/forms/field.tsx'
import { useAction } from '../ui/hooks.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { toast } from '../ui/overlays/toast.ts'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import type { SavedView } from './views.ts'

const MAX_NAME = 100

/** `saved`: the view to change; without it, a new one is made. `filter` is what the list shows. */
export function ViewDialog({
  project,
  filter,
  saved,
  onClose,
}: {
  project: Project
  filter: InboxFilter
  saved: SavedView | undefined
  onClose(): void
}) {
  const [name, setName] = useState(saved?.name ?? '')
  const [is_shared, setShared] = useState(saved?.is_shared ?? false)
  const [takes_filter, setTakesFilter] = useState(!saved)
  const is_changed = saved && textOf(saved.filter) !== textOf(filter)
  const save = useAction(async () => {
    if (name.trim() === '') return
    const json = { name: name.trim(), is_shared, ...(takes_filter && { filter: withFlags(filter) }) }
    const view = saved
      ? await project.api.patch(`inbox/views/${saved._id}`, json)
      : await project.api.post('inbox/views', json, { key: crypto.randomUUID() })
    onClose()
    location.hash = inboxPlace(project.id, { view: `view-${view._id}` })
  })
  const remove = useAction(async () => {
    if (!saved) return
    await project.api.delete(`inbox/views/${saved._id}`)
    onClose()
    location.hash = inboxPlace(project.id, { view: 'all' })
    toast(`The view ${saved.name} is deleted.`)
  })
  const submit = (event: Event) => {
    event.preventDefault()
    void save.run()
  }
  const fault = save.fault ?? remove.fault
  return (
    <Dialog title={saved ? 'Change the view' : 'Save as a view'} has_close onClose={onClose}>
      <form class="settings" onSubmit={submit}>
        <Field label="Name">
          {(attributes) => (
            <input
              {...attributes}
              value={name}
              maxlength={MAX_NAME}
              required
              autocomplete="off"
              placeholder="Late orders"
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <Switch label="For all colleagues" is_on={is_shared} onChange={setShared} hint="Otherwise only you see it." />
        {is_changed && <Switch label="With the filters of now" is_on={takes_filter} onChange={setTakesFilter} />}
        {fault && <Trouble title="The view was not changed" error={fault} />}
        <div class="actions">
          {saved && (
            <button type="button" class="button danger" disabled={remove.is_busy} onClick={remove.run}>
              Delete
            </button>
          )}
          <button type="submit" class="button primary" disabled={save.is_busy || name.trim() === ''}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function textOf(filter: InboxFilter) {
  return new URLSearchParams(Object.entries(filter).sort()).toString()
}

/** The filter of a view has flags where the list takes texts. */
function withFlags(filter: InboxFilter) {
  return Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [name, name.startsWith('is_') ? value === 'true' : value]),
  )
}
