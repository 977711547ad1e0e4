/** Canned responses: the list, and the form of one. */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { faultOf } from '../../data/errors.js'
import { Dialog } from '../../ui/dialog.js'
import { Empty } from '../../ui/empty.js'
import { Switch } from '../../ui/field.js'
import { useAction } from '../../ui/hooks.js'
import { Icon } from '../../ui/icons.js'
import { toastFault } from '../../ui/toast.js'
import { Trouble } from '../../ui/trouble.js'
import { problemOf, TextInput } from '../forms/inputs.js'
import { CannedResponses, matching } from './canned.js'

/** @typedef {import('../../../page_types/inbox_records.ts').CannedResponse} CannedResponse */
/** @typedef {Pick<CannedResponse, 'shortcut' | 'title' | 'content' | 'is_shared'> & { _id?: string }} Edited */

/** @type {Edited} */
const EMPTY = { shortcut: '', title: '', content: '', is_shared: true }
const VARIABLES =
  '{{contact.name}}, {{contact.first_name}}, {{contact.phone}}, {{agent.name}}, {{agent.first_name}}, {{project.name}}'

/**
 * @param {{ project: import('../../data/project.js').Project, onClose(): void }} props
 */
export function CannedDialog({ project, onClose }) {
  const canned = project.part('canned_responses', () => new CannedResponses(project))
  const [edited, setEdited] = useState(/** @type {Edited | null} */ (null))
  const [query, setQuery] = useState('')
  const [doomed, setDoomed] = useState(/** @type {string | null} */ (null))
  useEffect(() => void canned.load(), [canned])
  // The element with the focus is gone when the list and the form change places.
  useEffect(() => {
    const first = document.querySelector('.canned input')
    if (first instanceof HTMLElement) first.focus()
  }, [edited?._id, edited === null])
  const found = matching(canned.list.value, query)
  /** @param {CannedResponse} one */
  const remove = ({ _id }) => {
    setDoomed(null)
    project.api.delete(`canned_responses/${_id}`).then(
      () => canned.load(),
      (error) => toastFault('It was not deleted', faultOf(error)),
    )
  }
  const done = () => {
    setEdited(null)
    void canned.load()
  }
  return html`<${Dialog} title="Canned responses" class="wide canned" has_close=${true} onClose=${onClose}>
    ${
      edited
        ? html`<${Form} project=${project} edited=${edited} onDone=${done} onBack=${() => setEdited(null)} key=${edited._id ?? 'new'} />`
        : html`<div class="canned-head">
              <${TextInput} label="Search" type="search" value=${query} onChange=${setQuery} />
              <button type="button" class="button primary" onClick=${() => setEdited({ ...EMPTY, ...(query && { shortcut: query }) })}><${Icon} name="plus" /> New</button>
            </div>
            ${
              canned.state.value === 'ready' &&
              found.length === 0 &&
              html`<${Empty} icon="message" title=${query ? 'None has these words' : 'No canned responses yet'} text="Texts that you write often, inserted by / and a shortcut." />`
            }
            <ul class="canned-list">
              ${found.map(
                (one) => html`<li key=${one._id}>
                  <div>
                    <p><code>/${one.shortcut}</code> <b>${one.title}</b> ${!one.is_shared && html`<span class="faint">only yours</span>`}</p>
                    <p class="faint canned-text">${one.content}</p>
                  </div>
                  ${
                    one._id === doomed
                      ? html`<button type="button" class="button danger" ref=${focusOn} onClick=${() => remove(one)}>${one.is_shared ? 'Delete for everybody' : 'Delete'}</button>
                          <button type="button" class="quiet" onClick=${() => setDoomed(null)}>Keep</button>`
                      : html`<button type="button" class="quiet icon-button" aria-label="Edit /${one.shortcut}" onClick=${() => setEdited(one)}><${Icon} name="edit" /></button>
                          <button type="button" class="quiet icon-button" aria-label="Delete /${one.shortcut}" onClick=${() => setDoomed(one._id)}><${Icon} name="trash" /></button>`
                  }
                </li>`,
              )}
            </ul>`
    }
  <//>`
}

/** @param {HTMLElement | null} element */
function focusOn(element) {
  element?.focus()
}

/**
 * @param {{ project: import('../../data/project.js').Project, edited: Edited, onDone(): void, onBack(): void }} props
 */
function Form({ project, edited, onDone, onBack }) {
  const [fields, setFields] = useState(edited)
  const [is_tried, setTried] = useState(false)
  const problems = {
    shortcut: /^[\p{L}\p{N}_-]{1,50}$/u.test(fields.shortcut)
      ? undefined
      : 'Up to 50 letters, digits, - and _, without spaces.',
    content: problemOf(fields.content, 4096),
  }
  const save = useAction(async () => {
    setTried(true)
    if (problems.shortcut || problems.content) return
    const { shortcut, title, content, is_shared } = fields
    const json = { shortcut, content, is_shared, title: title?.trim() || null }
    await (edited._id
      ? project.api.patch(`canned_responses/${edited._id}`, json)
      : project.api.post('canned_responses', json))
    onDone()
  })
  /** @param {keyof Edited} name */
  const set = (name) => (/** @type {unknown} */ value) => setFields((before) => ({ ...before, [name]: value }))
  return html`<form
    class="canned-form"
    novalidate
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      onBack()
    }}
    onSubmit=${(/** @type {Event} */ event) => {
      event.preventDefault()
      void save.run()
    }}
  >
    <${TextInput} label="Shortcut" value=${fields.shortcut} onChange=${set('shortcut')} placeholder="late" error=${is_tried ? problems.shortcut : undefined} />
    <${TextInput} label="Title" value=${fields.title ?? ''} onChange=${set('title')} most=${100} />
    <${TextInput} label="Text" value=${fields.content} onChange=${set('content')} most=${4096} lines=${5} hint="Variables: ${VARIABLES}." error=${is_tried ? problems.content : undefined} />
    <${Switch} label="For all colleagues" is_on=${fields.is_shared} onChange=${set('is_shared')} hint="Otherwise only you see it." />
    ${save.fault && html`<${Trouble} title="It was not saved" error=${save.fault} />`}
    <div class="actions">
      <button type="button" class="button" onClick=${onBack}>Back</button>
      <button type="submit" class="button primary" disabled=${save.is_busy}>Save</button>
    </div>
  </form>`
}
