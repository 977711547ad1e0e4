/** Saving the list as a view, renaming and deleting one. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../ui/dialog.js'
import { Field, Switch } from '../ui/field.js'
import { useAction } from '../ui/hooks.js'
import { toast } from '../ui/toast.js'
import { Trouble } from '../ui/trouble.js'
import { inboxPlace } from './places.js'

/** @typedef {import('../../page_types/inbox.ts').InboxFilter} InboxFilter */

const MAX_NAME = 100

/**
 * `saved`: the view to change; without it, a new one is made. `filter` is what the list shows.
 *
 * @param {{
 *   project: import('../data/project.js').Project
 *   filter: InboxFilter
 *   saved: import('./views.js').SavedView | undefined
 *   onClose(): void
 * }} props
 */
export function ViewDialog({ project, filter, saved, onClose }) {
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
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault()
    void save.run()
  }
  const fault = save.fault ?? remove.fault
  return html`<${Dialog} title=${saved ? 'Change the view' : 'Save as a view'} has_close=${true} onClose=${onClose}>
    <form class="settings" onSubmit=${submit}>
      <${Field} label="Name">
        ${(/** @type {object} */ attributes) => html`<input
          ...${attributes}
          value=${name}
          maxlength=${MAX_NAME}
          required
          autocomplete="off"
          placeholder="Late orders"
          onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => setName(target.value)}
        />`}
      <//>
      <${Switch} label="For all colleagues" is_on=${is_shared} onChange=${setShared} hint="Otherwise only you see it." />
      ${is_changed && html`<${Switch} label="With the filters of now" is_on=${takes_filter} onChange=${setTakesFilter} />`}
      ${fault && html`<${Trouble} title="The view was not changed" error=${fault} />`}
      <div class="actions">
        ${saved && html`<button type="button" class="button danger" disabled=${remove.is_busy} onClick=${remove.run}>Delete</button>`}
        <button type="submit" class="button primary" disabled=${save.is_busy || name.trim() === ''}>Save</button>
      </div>
    </form>
  <//>`
}

/** @param {InboxFilter} filter */
function textOf(filter) {
  return new URLSearchParams(Object.entries(filter).sort()).toString()
}

/**
 * The filter of a view has flags where the list takes texts.
 *
 * @param {InboxFilter} filter
 */
function withFlags(filter) {
  return Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [name, name.startsWith('is_') ? value === 'true' : value]),
  )
}
