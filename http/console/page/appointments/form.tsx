/** The form of an appointment, new or changed. Times are those of its zone. */

import type { TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import { faultOf } from '../data/errors.ts'
import { Field, SelectField } from '../ui/forms/field.tsx'
import { FormActions } from '../ui/forms/form_end.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { toast } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { MINUTE_MS } from './hours.ts'
import { PersonField } from './person_field.tsx'
import type { FormSubject, Shared } from './shared.ts'
import { type Refusal, refusalText } from './words.ts'
import { addDays, localOf, momentOf, zoneText } from './zone.ts'

const LENGTHS = [15, 30, 45, 60, 90, 120, 180, 240]

export function AppointmentForm({
  project,
  calendar,
  place,
  subject,
  onClose,
}: Shared & { subject: FormSubject; onClose(): void }) {
  const entry = 'entry' in subject ? subject.entry : undefined
  const zone = entry?.timezone ?? place.zone
  const [first] = useState(() => fieldsOf(subject, zone, place.assigned_to))
  const [fields, setFields] = useState(first)
  const [person, setPerson] = useState(entry?.contact ?? null)
  const [refused, setRefused] = useState<Refusal | null>(null)
  const [is_busy, setBusy] = useState(false)
  const [keys] = useState(() => new Map<string, string>())
  /** The same request has the same key, so that it is done once. */
  const keyOf = (request: object) => {
    const name = JSON.stringify(request)
    const key = keys.get(name) ?? crypto.randomUUID()
    keys.set(name, key)
    return key
  }
  const users = project.definitions.value?.users.filter((user) => user.is_active) ?? []
  const set = (change: Partial<typeof fields>) => setFields({ ...fields, ...change })
  const typed =
    (name: keyof typeof fields) =>
    ({ currentTarget }: TargetedEvent<HTMLInputElement>) =>
      set({ [name]: currentTarget.value })

  /** `begins` is a moment in place of the time in the field. */
  const send = async (begins?: string) => {
    setBusy(true)
    setRefused(null)
    try {
      const request = requestOf(fields, zone, person, begins)
      if (entry) await calendar.change(entry.id, changedIn(request, requestOf(first, zone, entry.contact ?? null)))
      else await calendar.create(request, keyOf(request), { contact: person })
      onClose()
      toast(entry ? 'Saved' : 'The appointment was created')
    } catch (error) {
      setRefused(faultOf(error))
    }
    setBusy(false)
  }
  const submitted = (event: SubmitEvent) => {
    event.preventDefault()
    if (!is_busy) void send()
  }
  const choices = refused?.details?.choices ?? refused?.details?.nearest ?? []
  const lengths = LENGTHS.includes(Number(fields.length))
    ? LENGTHS
    : [Number(fields.length), ...LENGTHS].toSorted((a, b) => a - b)
  const is_past = (!entry || fields.at !== first.at) && isPast(fields.at, zone)
  const can_move = !entry || entry.status === 'pending' || entry.status === 'confirmed'
  return (
    <Dialog
      title={entry ? `Appointment ${entry.number}` : 'New appointment'}
      onClose={onClose}
      has_close
      class="cal-form-dialog"
    >
      <form class="cal-form" onSubmit={submitted}>
        <PersonField project={project} person={person} onChoose={setPerson} />
        {can_move && (
          <>
            <div class="cal-form-row">
              <Field label="Begins" hint={zoneText(zone, Date.now())}>
                {(attributes) => (
                  <input {...attributes} type="datetime-local" required value={fields.at} onInput={typed('at')} />
                )}
              </Field>
              <SelectField
                label="Length"
                value={fields.length}
                options={lengths.map((minutes) => ({ value: String(minutes), text: lengthText(minutes) }))}
                onChange={(length) => set({ length })}
              />
            </div>
            <SelectField
              label="Assignee"
              value={fields.assigned_to}
              options={[
                { value: '', text: 'Nobody' },
                ...users.map(({ _id, full_name }) => ({ value: _id, text: full_name })),
              ]}
              onChange={(assigned_to) => set({ assigned_to })}
            />
          </>
        )}
        <Field label="Place" hint="A room, an address, or the link of a meeting">
          {(attributes) => (
            <input {...attributes} type="text" maxlength={500} value={fields.where} onInput={typed('where')} />
          )}
        </Field>
        {!entry && (
          <SelectField
            label="Status"
            value={fields.status}
            options={[
              { value: 'pending', text: 'Pending, to be confirmed' },
              { value: 'confirmed', text: 'Confirmed' },
            ]}
            onChange={(status) => set({ status })}
          />
        )}
        <div role="status">
          {is_past && (
            <p class="note">
              <Icon name="alert" /> This time has passed.
            </p>
          )}
        </div>
        {is_past && (
          <label class="cal-form-past">
            <input type="checkbox" required key={fields.at} /> Record the appointment as of then
          </label>
        )}
        <div role="alert">
          {refused && (
            <p class="note bad">
              <Icon name="alert" /> {refusalText(refused, place.zone)}
            </p>
          )}
        </div>
        {choices.length > 0 && (
          <div class="actions">
            {choices.map((choice) => (
              <button type="button" class="button" onClick={() => send(choice)} key={choice}>
                {choice.slice(11, 16)} ({choice.slice(19)})
              </button>
            ))}
          </div>
        )}
        <FormActions onClose={onClose} is_busy={is_busy}>
          {entry ? 'Save' : 'Create'}
        </FormActions>
      </form>
    </Dialog>
  )
}

/** @param at as the field has it */
function isPast(at: string, zone: string) {
  const [day = '', time = ''] = at.split('T')
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return time !== '' && momentOf(day, hours * 60 + minutes, zone) < Date.now()
}

function lengthText(minutes: number) {
  if (minutes < 60) return `${minutes} minutes`
  const rest = minutes % 60
  const hours = Math.floor(minutes / 60)
  return `${hours === 1 ? '1 hour' : `${hours} hours`}${rest > 0 ? ` ${rest} minutes` : ''}`
}

function fieldsOf(subject: FormSubject, zone: string, assigned_to: string | undefined) {
  if (!('entry' in subject)) {
    const { day, minutes, length } = subject
    return {
      at: timeField(day, minutes),
      length: String(length),
      assigned_to: assigned_to ?? '',
      where: '',
      status: 'pending',
    }
  }
  const { entry } = subject
  const { day, minutes } = localOf(Date.parse(entry.starts_at), zone)
  const length = Math.round((Date.parse(entry.ends_at) - Date.parse(entry.starts_at)) / MINUTE_MS)
  return {
    at: timeField(day, minutes),
    length: String(length),
    assigned_to: entry.assigned_to?.id ?? '',
    where: entry.meeting_url ?? entry.location ?? '',
    status: entry.status,
  }
}

function timeField(day: string, minutes: number) {
  const on = addDays(day, Math.floor(minutes / 1440))
  const at = minutes % 1440
  return `${on}T${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`
}

/** Local times, so that the server says when clocks skip them or show them twice. */
function requestOf(
  { at, length, assigned_to, where, status }: ReturnType<typeof fieldsOf>,
  zone: string,
  person: { _id: string } | null,
  begins?: string,
): Record<string, unknown> {
  const place = where.trim()
  const is_online = /^https?:\/\//.test(place)
  const minutes = Number(length)
  const [day = '', clock = '00:00'] = at.split('T')
  const [hour = '0', minute = '0'] = clock.split(':')
  const ends = begins
    ? new Date(Date.parse(begins) + minutes * MINUTE_MS).toISOString()
    : timeField(day, Number(hour) * 60 + Number(minute) + minutes)
  return {
    starts_at: begins ?? at,
    ends_at: ends,
    timezone: zone,
    status,
    chat_user: person?._id ?? null,
    assigned_to: assigned_to || null,
    modality: is_online ? 'online' : 'in-person',
    meeting_url: is_online ? place : null,
    location: is_online || place === '' ? null : place,
  }
}

/** The fields of a request that differ from another. Both times go together. */
function changedIn(request: Record<string, unknown>, before: Record<string, unknown>) {
  const changed = Object.fromEntries(Object.entries(request).filter(([name, value]) => before[name] !== value))
  const { starts_at, ends_at, timezone } = request
  if ('starts_at' in changed || 'ends_at' in changed) Object.assign(changed, { starts_at, ends_at, timezone })
  return changed
}
