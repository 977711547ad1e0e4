/** Canned responses: the list, and the form of one. */

import { useEffect, useState } from 'preact/hooks'
import { faultOf } from '../../../data/errors.ts'
import type { Project } from '../../../data/project.ts'
import type { CannedResponse } from '../../../records/inbox_records.ts'
import { Switch } from '../../../ui/forms/field.tsx'
import { useAction } from '../../../ui/hooks.ts'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { toastFault } from '../../../ui/overlays/toast.ts'
import { Icon } from '../../../ui/pictures/icons.tsx'
import { Empty } from '../../../ui/placeholders/empty.tsx'
import { Trouble } from '../../../ui/placeholders/trouble.tsx'
import { problemOf, TextInput } from '../../forms/inputs.tsx'
import { CannedResponses, matching } from './canned.ts'

type Edited = Pick<CannedResponse, 'shortcut' | 'title' | 'content' | 'is_shared'> & { _id?: string }

const EMPTY: Edited = { shortcut: '', title: '', content: '', is_shared: true }
const VARIABLES =
  '{{contact.name}}, {{contact.first_name}}, {{contact.phone}}, {{agent.name}}, {{agent.first_name}}, {{project.name}}'

export function CannedDialog({ project, onClose }: { project: Project; onClose(): void }) {
  const canned = project.part('canned_responses', () => new CannedResponses(project))
  const [edited, setEdited] = useState<Edited | null>(null)
  const [query, setQuery] = useState('')
  const [doomed, setDoomed] = useState<string | null>(null)
  useEffect(() => void canned.load(), [canned])
  // The element with the focus is gone when the list and the form change places.
  useEffect(() => {
    const first = document.querySelector('.canned input')
    if (first instanceof HTMLElement) first.focus()
  }, [edited?._id, edited === null])
  const found = matching(canned.list.value, query)
  const remove = ({ _id }: CannedResponse) => {
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
  return (
    <Dialog title="Canned responses" class="wide canned" has_close onClose={onClose}>
      {edited ? (
        <Form
          project={project}
          edited={edited}
          onDone={done}
          onBack={() => setEdited(null)}
          key={edited._id ?? 'new'}
        />
      ) : (
        <>
          <div class="canned-head">
            <TextInput label="Search" type="search" value={query} onChange={setQuery} />
            <button
              type="button"
              class="button primary"
              onClick={() => setEdited({ ...EMPTY, ...(query && { shortcut: query }) })}
            >
              <Icon name="plus" /> New
            </button>
          </div>
          {canned.state.value === 'ready' && found.length === 0 && (
            <Empty
              icon="message"
              title={query ? 'None has these words' : 'No canned responses yet'}
              text="Texts that you write often, inserted by / and a shortcut."
            />
          )}
          <ul class="canned-list">
            {found.map((one) => (
              <li key={one._id}>
                <div>
                  <p>
                    <code>/{one.shortcut}</code> <b>{one.title}</b>{' '}
                    {!one.is_shared && <span class="faint">only yours</span>}
                  </p>
                  <p class="faint canned-text">{one.content}</p>
                </div>
                {one._id === doomed ? (
                  <>
                    <button type="button" class="button danger" ref={focusOn} onClick={() => remove(one)}>
                      {one.is_shared ? 'Delete for everybody' : 'Delete'}
                    </button>
                    <button type="button" class="quiet" onClick={() => setDoomed(null)}>
                      Keep
                    </button>
                  </>
                ) : (
                  <>
                    <button
                      type="button"
                      class="quiet icon-button"
                      aria-label={`Edit /${one.shortcut}`}
                      onClick={() => setEdited(one)}
                    >
                      <Icon name="edit" />
                    </button>
                    <button
                      type="button"
                      class="quiet icon-button"
                      aria-label={`Delete /${one.shortcut}`}
                      onClick={() => setDoomed(one._id)}
                    >
                      <Icon name="trash" />
                    </button>
                  </>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  )
}

function focusOn(element: HTMLElement | null) {
  element?.focus()
}

function Form({
  project,
  edited,
  onDone,
  onBack,
}: {
  project: Project
  edited: Edited
  onDone(): void
  onBack(): void
}) {
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
  const set = (name: keyof Edited) => (value: unknown) => setFields((before) => ({ ...before, [name]: value }))
  return (
    <form
      class="canned-form"
      novalidate
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        onBack()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        void save.run()
      }}
    >
      <TextInput
        label="Shortcut"
        value={fields.shortcut}
        onChange={set('shortcut')}
        placeholder="late"
        error={is_tried ? problems.shortcut : undefined}
      />
      <TextInput label="Title" value={fields.title ?? ''} onChange={set('title')} most={100} />
      <TextInput
        label="Text"
        value={fields.content}
        onChange={set('content')}
        most={4096}
        lines={5}
        hint={`Variables: ${VARIABLES}.`}
        error={is_tried ? problems.content : undefined}
      />
      <Switch
        label="For all colleagues"
        is_on={fields.is_shared}
        onChange={set('is_shared')}
        hint="Otherwise only you see it."
      />
      {save.fault && <Trouble title="It was not saved" error={save.fault} />}
      <div class="actions">
        <button type="button" class="button" onClick={onBack}>
          Back
        </button>
        <button type="submit" class="button primary" disabled={save.is_busy}>
          Save
        </button>
      </div>
    </form>
  )
}
