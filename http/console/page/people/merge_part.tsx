/** The merges of a contact, and the search for another contact of the same person. */

import { useState } from 'preact/hooks'
import { nameOfChannel } from '../crm/channels.ts'
import type { Reading } from '../crm/reading.ts'
import { Part } from '../crm/record/fields.tsx'
import { SearchForm } from '../crm/record/search_form.tsx'
import { errorText } from '../data/errors.ts'
import type { Project } from '../data/project.ts'
import type { AnyRecord } from '../records/record.ts'
import { personName } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { useElement } from '../ui/hooks.ts'
import { toast, toastFault } from '../ui/overlays/toast.ts'
import { describeContact } from './describe_contact.ts'
import { MergeDialog } from './merge_dialog.tsx'
import { peoplePlace } from './places.ts'

const FOUND = 6

export function MergePart({
  project,
  contact,
  merges,
  onChanged,
}: {
  project: Project
  contact: AnyRecord
  merges: Reading
  onChanged(): void
}) {
  const [other, setOther] = useState<AnyRecord | null>(null)
  const [found, setFound] = useState<AnyRecord[] | null>(null)
  const field = useElement<HTMLInputElement>()
  const list: AnyRecord[] = merges.data.value ?? []
  const fault = merges.fault.value
  const undo = async ({ _id, contact_id, from_contact }: AnyRecord) => {
    try {
      await project.api.post(`contacts/${contact_id}/merges/${_id}/undo`, {})
      toast(`${describeContact(from_contact)} is a contact of its own again`)
    } catch (fault) {
      toastFault('The contacts were not separated', fault as Error)
    }
    onChanged()
  }
  const merge = async (stays: AnyRecord, goes: AnyRecord) => {
    setOther(null)
    try {
      const made = await project.api.post(`contacts/${stays._id}/merge`, { from_contact_id: goes._id })
      toast(`${describeContact(goes)} is part of ${describeContact(stays)} now`, { undo: () => void undo(made) })
      if (stays._id !== contact._id) location.hash = peoplePlace(project.id, 'contact', stays._id)
      else field.current.focus()
      setFound(null)
    } catch (fault) {
      toastFault('The contacts were not merged', fault as Error)
    }
    onChanged()
  }
  return (
    <Part title="Other contacts of this person" count={list.filter(({ undone_at }) => !undone_at).length}>
      {fault && <p class="faint">{errorText(fault)}</p>}
      <ul class="panel-list">
        {list.map((one) => (
          <li key={one._id}>
            {one.from_contact_id === contact._id ? (
              <p>
                Was a part of <a href={peoplePlace(project.id, 'contact', one.contact_id)}>another contact</a>
              </p>
            ) : (
              <p>
                {personName(one.from_contact)} <span class="faint">{one.from_contact.user_id}</span>
              </p>
            )}
            <p class="faint">
              {one.undone_at ? 'Separated' : 'Merged'} <Moment at={one.undone_at ?? one.created_at} />
            </p>
            {!one.undone_at && Date.parse(one.undo_until) > Date.now() && (
              <button
                type="button"
                class="button"
                aria-label={`Separate again: ${placeOf(one.from_contact)}`}
                onClick={() => {
                  // The button goes away.
                  field.current.focus()
                  void undo(one)
                }}
              >
                Separate again
              </button>
            )}
          </li>
        ))}
      </ul>
      <FindOther
        project={project}
        contact={contact}
        field={field}
        found={found}
        setFound={setFound}
        onChosen={setOther}
      />
      {other && (
        <MergeDialog contacts={[contact, other]} onMerge={merge} onClose={() => setOther(null)} project={project} />
      )}
    </Part>
  )
}

const placeOf = ({ phone, user_id }: AnyRecord): string => phone ?? user_id

function FindOther({
  project,
  contact: { _id, channel_type },
  field,
  found,
  setFound,
  onChosen,
}: {
  project: Project
  contact: AnyRecord
  field: ReturnType<typeof useElement<HTMLInputElement>>
  found: AnyRecord[] | null
  setFound(found: AnyRecord[] | null): void
  onChosen(contact: AnyRecord): void
}) {
  const search = async (search: string) => {
    if (search === '') return setFound(null)
    const { data } = await project.api.get('contacts', { search, channel_type, limit: FOUND + 1 })
    setFound(data.filter((one: AnyRecord) => one._id !== _id).slice(0, FOUND))
  }
  return (
    <>
      <SearchForm
        field={field}
        placeholder="Name, phone or id"
        label="Search another contact of this person"
        fault="Contacts could not be searched"
        onSearch={search}
      />
      <ul class="panel-found" aria-live="polite">
        {found?.length === 0 && (
          <li>
            <span class="faint">
              No other contact on {nameOfChannel(channel_type)} was found. A customer joins contacts of several
              channels.
            </span>
          </li>
        )}
        {found?.map((one) => (
          <li key={one._id}>
            <span>
              {personName(one)} <span class="faint">{placeOf(one)}</span>
            </span>
            <button
              type="button"
              class="button"
              aria-label={`Merge… ${describeContact(one)}`}
              onClick={() => onChosen(one)}
            >
              Merge…
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
