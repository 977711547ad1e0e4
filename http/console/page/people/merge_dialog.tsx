/** Two contacts side by side, and the choice of the one that stays. */

import { useState } from 'preact/hooks'
import type { Project } from '../data/project.ts'
import type { AnyRecord } from '../records/record.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { describeContact } from './describe_contact.ts'

type Pair = [AnyRecord, AnyRecord]

export function MergeDialog({
  project,
  contacts,
  onMerge,
  onClose,
}: {
  project: Project
  contacts: Pair
  onMerge(stays: AnyRecord, goes: AnyRecord): void
  onClose(): void
}) {
  const [place, setPlace] = useState(0)
  const stays = contacts[place]!
  const goes = contacts[1 - place]!
  return (
    <Dialog
      title="Merge two contacts"
      class="panel-dialog"
      has_close
      onClose={onClose}
      actions={(close) => [
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>,
        <button type="button" class="button primary" onClick={() => onMerge(stays, goes)}>
          Merge
        </button>,
      ]}
    >
      <p>
        {describeContact(goes)} becomes a part of {describeContact(stays)}: all its messages, tickets, notes and
        appointments. Merge only what is one person. For 30 days you can separate them again.
      </p>
      <table class="person-merge">
        <thead>
          <tr>
            <th scope="col">Stays</th>
            {contacts.map((one, index) => (
              <th scope="col" key={one._id}>
                <label>
                  <input type="radio" name="stays" checked={place === index} onChange={() => setPlace(index)} />{' '}
                  {describeContact(one)}
                </label>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rowsOf(contacts, project).map(({ label, values }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {values.map((value, index) => (
                <td key={contacts[index]!._id}>{value ?? <span class="faint">–</span>}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  )
}

/** The fields of the two, where at least one has a value. */
function rowsOf(contacts: Pair, project: Project) {
  const channels = project.definitions.value?.channels
  const fields = [...new Set(contacts.flatMap(({ custom_fields }) => Object.keys(custom_fields)))]
  const rows: [label: string, of: (contact: AnyRecord) => unknown][] = [
    ['Phone', ({ phone }) => phone],
    ['E-mail', ({ email }) => email],
    ['Id', ({ user_id }) => user_id],
    ['Channel', ({ channel_id }) => channels?.find(({ _id }) => _id === channel_id)?.name],
    ['Customer', ({ customer_id }) => customer_id && 'linked'],
    ['Marketing', ({ consent }) => (consent.marketing === 'unknown' ? null : consent.marketing)],
    ...fields.map((field): (typeof rows)[number] => [field, ({ custom_fields }) => custom_fields[field]]),
  ]
  return rows
    .map(([label, of]) => ({ label, values: contacts.map((one) => textOf(of(one))) }))
    .filter(({ values }) => values.some((value) => value !== null))
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
