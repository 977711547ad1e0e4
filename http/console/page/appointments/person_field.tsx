/** The field for the person of an appointment: a search over the contacts. */

import { useEffect, useId, useState } from 'preact/hooks'
import type { Project } from '../data/project.ts'
import type { CalendarEntry } from '../records/appointment.ts'
import { Icon } from '../ui/pictures/icons.tsx'

type Person = NonNullable<CalendarEntry['contact']>

const MAX = 6
const PAUSE_MS = 200

export function PersonField({
  project,
  person,
  onChoose,
}: {
  project: Project
  person: Person | null
  onChoose(person: Person | null): void
}) {
  const id = useId()
  const [text, setText] = useState('')
  const [found, setFound] = useState<Person[] | null>(null)
  const [chosen, setChosen] = useState(0)
  useEffect(() => {
    const search = text.trim()
    if (search === '') return setFound(null)
    let is_wanted = true
    const timer = setTimeout(() => {
      project.api.get('contacts', { search, limit: MAX }).then(
        ({ data }) => {
          if (!is_wanted) return
          setFound(data)
          setChosen(0)
        },
        () => is_wanted && setFound([]),
      )
    }, PAUSE_MS)
    return () => {
      is_wanted = false
      clearTimeout(timer)
    }
  }, [text])
  const choose = (one: Person | undefined) => {
    if (!one) return
    onChoose({ _id: one._id, name: one.name, phone: one.phone })
    setText('')
  }
  const pressed = (event: KeyboardEvent) => {
    const count = found?.length ?? 0
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && count > 0) setChosen((chosen + step + count) % count)
    else if (event.key === 'Enter' && count > 0) choose(found?.[chosen])
    else return
    event.preventDefault()
  }
  if (person) {
    return (
      <div class="field">
        <span>Person</span>
        <span class="cal-chosen">
          <Icon name="person" /> <span>{person.name ?? person.phone}</span>
          <button
            type="button"
            class="quiet icon-button"
            aria-label="Choose another person"
            onClick={() => onChoose(null)}
          >
            <Icon name="close" />
          </button>
        </span>
      </div>
    )
  }
  return (
    <div class="field cal-person-field">
      <label for={id}>Person</label>
      <input
        id={id}
        type="text"
        role="combobox"
        aria-expanded={(found?.length ?? 0) > 0}
        aria-controls={`${id}-found`}
        aria-autocomplete="list"
        aria-activedescendant={found && found.length > 0 ? `${id}-${chosen}` : undefined}
        autocomplete="off"
        placeholder="Name or phone of a contact"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={pressed}
      />
      <ul
        id={`${id}-found`}
        role="listbox"
        aria-label="Contacts"
        class="cal-found"
        hidden={!found || found.length === 0}
      >
        {found?.map((one, at) => (
          <li
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(one)}
            key={one._id}
          >
            {one.name ?? one.phone} {one.name && one.phone && <span class="faint">{one.phone}</span>}
          </li>
        ))}
      </ul>
      <p class="faint field-hint" role="status">
        {found?.length === 0 ? 'No contact matches.' : ''}
      </p>
    </div>
  )
}
