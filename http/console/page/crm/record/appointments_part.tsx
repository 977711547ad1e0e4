/** The appointments of the contact in the panel. */

import type { TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import { errorText } from '../../data/errors.ts'
import type { Project } from '../../data/project.ts'
import type { Definitions } from '../../records/definitions.ts'
import type { AnyRecord } from '../../records/record.ts'
import { Moment } from '../../ui/format/moment.tsx'
import { Field, SelectField } from '../../ui/forms/field.tsx'
import { FormActions, Refusal } from '../../ui/forms/form_end.tsx'
import { useAction } from '../../ui/hooks.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { Details } from './details.ts'
import { Part } from './fields.tsx'

const PATH = 'scheduling/appointments'
const MINUTE_MS = 60_000

/** Actions on an appointment, by its status. */
const STEPS: Record<string, { event: string; text: string }[]> = {
  pending: [
    { event: 'confirm', text: 'Confirm' },
    { event: 'cancel', text: 'Cancel' },
  ],
  confirmed: [
    { event: 'complete', text: 'Done' },
    { event: 'no-show', text: 'No show' },
    { event: 'cancel', text: 'Cancel' },
  ],
}

export function AppointmentsPart({
  project,
  contact,
  details,
  definitions,
}: {
  project: Project
  contact: AnyRecord
  details: Pick<Details, 'appointments'>
  definitions: Definitions | undefined
}) {
  const [is_making, setMaking] = useState(false)
  const { appointments } = details
  const list = appointments.data.value ?? []
  const fault = appointments.fault.value
  const open = list.filter(({ status }: AnyRecord) => status in STEPS)
  const step = async ({ id }: AnyRecord, event: string) => {
    try {
      await project.api.post(`${PATH}/${id}/${event}`)
    } catch (error) {
      toastFault('The appointment was not changed', error as Error)
    }
    await appointments.read()
  }
  return (
    <Part title="Appointments" count={open.length} is_open={open.length > 0}>
      {fault && <p class="faint">{errorText(fault)}</p>}
      <ul class="panel-list">
        {list.map((one: AnyRecord) => (
          <li key={one.id}>
            <p>
              <Moment at={one.starts_at} /> <span class="faint">{one.status.replace('_', ' ')}</span>
            </p>
            <p class="faint">
              {[one.assigned_to?.full_name, one.location ?? one.modality].filter(Boolean).join(' · ')}
            </p>
            <p class="panel-steps">
              {one.meeting_url && (
                <a class="quiet" href={one.meeting_url} target="_blank" rel="noopener noreferrer">
                  Meeting <Icon name="external" />
                </a>
              )}
              {(STEPS[one.status] ?? []).map(({ event, text }) => (
                <button type="button" class="quiet" onClick={() => step(one, event)} key={event}>
                  {text}
                </button>
              ))}
            </p>
          </li>
        ))}
      </ul>
      <button type="button" class="quiet panel-more" onClick={() => setMaking(true)}>
        <Icon name="plus" /> New appointment
      </button>
      {is_making && (
        <NewAppointment
          project={project}
          contact={contact}
          definitions={definitions}
          onMade={() => appointments.read()}
          onClose={() => setMaking(false)}
        />
      )}
    </Part>
  )
}

function NewAppointment({
  project,
  contact,
  definitions,
  onMade,
  onClose,
}: {
  project: Project
  contact: AnyRecord
  definitions: Definitions | undefined
  onMade(): void
  onClose(): void
}) {
  const [fields, setFields] = useState({ at: '', minutes: '30', assigned_to: '', where: '' })
  const { run, is_busy, fault } = useAction(async () => {
    const starts_at = new Date(fields.at)
    const where = fields.where.trim()
    const is_online = /^https?:\/\//.test(where)
    await project.api.post(PATH, {
      starts_at: starts_at.toISOString(),
      ends_at: new Date(starts_at.getTime() + Number(fields.minutes) * MINUTE_MS).toISOString(),
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      chat_user: contact._id,
      modality: is_online ? 'online' : 'in-person',
      ...(contact.customer_id && { customer_id: contact.customer_id }),
      ...(fields.assigned_to && { assigned_to: fields.assigned_to }),
      ...(where && (is_online ? { meeting_url: where } : { location: where })),
    })
    onMade()
    onClose()
  })
  const typed =
    (name: string) =>
    ({ currentTarget }: TargetedEvent<HTMLInputElement>) =>
      setFields({ ...fields, [name]: currentTarget.value })
  const users = definitions?.users.filter(({ is_active }) => is_active) ?? []
  const assignees = [
    { value: '', text: 'Nobody' },
    ...users.map(({ _id, full_name }) => ({ value: _id, text: full_name })),
  ]
  const lengths = ['15', '30', '45', '60', '90', '120'].map((value) => ({ value, text: `${value} minutes` }))
  const submitted = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  return (
    <Dialog title="New appointment" onClose={onClose} has_close class="panel-dialog">
      <form onSubmit={submitted}>
        <Field label="Begins">
          {(attributes) => (
            <input {...attributes} type="datetime-local" required value={fields.at} onInput={typed('at')} />
          )}
        </Field>
        <SelectField
          label="Length"
          value={fields.minutes}
          options={lengths}
          onChange={(minutes) => setFields({ ...fields, minutes })}
        />
        <SelectField
          label="Assignee"
          value={fields.assigned_to}
          options={assignees}
          onChange={(assigned_to) => setFields({ ...fields, assigned_to })}
        />
        <Field label="Place" hint="A room, an address, or the link of a meeting">
          {(attributes) => (
            <input {...attributes} type="text" maxlength={500} value={fields.where} onInput={typed('where')} />
          )}
        </Field>
        <Refusal fault={fault} />
        <FormActions onClose={onClose} is_busy={is_busy}>
          Create
        </FormActions>
      </form>
    </Dialog>
  )
}
