/** The first message to a contact: a text where the channel allows it, otherwise a template. */

import type { TargetedEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { nameOfChannel } from '../crm/channels.ts'
import { faultOf } from '../data/errors.ts'
import type { Project } from '../data/project.ts'
import type { Fault } from '../records/fault.ts'
import type { AnyRecord } from '../records/record.ts'
import { personName } from '../ui/format/format.ts'
import { Field, SelectField } from '../ui/forms/field.tsx'
import { FormActions, Refusal } from '../ui/forms/form_end.tsx'
import { useAction } from '../ui/hooks.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { toast } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'

/** Channels that take only templates outside the reply window. */
const NEEDS_TEMPLATE = ['whatsapp']
const MAX_TEMPLATES = 200

export function Conversation({ project, contact, onClose }: { project: Project; contact: AnyRecord; onClose(): void }) {
  const channels = (project.definitions.value?.channels ?? []).filter(
    ({ channel_type, is_active }) => is_active && channel_type === contact.channel_type,
  )
  const own = channels.find(({ _id }) => _id === contact.channel_id)
  const [channel_id, setChannel] = useState((own ?? channels[0])?._id ?? '')
  const is_open = contact.windows.some((one: AnyRecord) => one.channel_id === channel_id && one.is_open)
  const has_template = NEEDS_TEMPLATE.includes(contact.channel_type)
  const [is_text, setText] = useState(is_open || !has_template)
  const [body, setBody] = useState('')
  const [template, setTemplate] = useState<AnyRecord | null>(null)
  const [variables, setVariables] = useState<Record<string, string>>({})
  const { templates, fault: templates_fault } = useTemplates(project, channel_id, has_template)
  /** A repeat sends it once. */
  const key = useRef(crypto.randomUUID())
  const { run, is_busy, fault } = useAction(async () => {
    const message = is_text
      ? { type: 'text', body: body.trim() }
      : { type: 'template', name: template?.name, language: template?.language, variables }
    const to = contact.phone ?? contact.user_id
    const request = { channel: contact.channel_type, channel_id, to: addressOf(contact, to), message }
    await project.api.post('messages', request, { key: key.current })
    toast('The message is sent. A ticket opens with the answer.')
    onClose()
  })
  const refused = fault ?? templates_fault
  const submitted = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  const changed = () => {
    key.current = crypto.randomUUID()
  }
  if (channels.length === 0) {
    return (
      <Dialog title={`Message ${contact.name ?? 'the contact'}`} onClose={onClose} has_close>
        <p>No active channel of the type {nameOfChannel(contact.channel_type)} can write to this person.</p>
      </Dialog>
    )
  }
  return (
    <Dialog title={`Message ${personName(contact)}`} onClose={onClose} has_close>
      <form class="people-form" onSubmit={submitted}>
        {channels.length > 1 && (
          <SelectField
            label="Channel"
            value={channel_id}
            options={channels.map(({ _id, name }) => ({ value: _id, text: name }))}
            onChange={(id) => {
              changed()
              setChannel(id)
              setTemplate(null)
            }}
          />
        )}
        {has_template && (
          <SelectField
            label="Kind"
            value={is_text ? 'text' : 'template'}
            options={[
              { value: 'template', text: 'Template' },
              { value: 'text', text: is_open ? 'Text' : 'Text (only after the person has written)' },
            ]}
            onChange={(kind) => {
              changed()
              setText(kind === 'text')
            }}
          />
        )}
        {is_text ? (
          <Field label="Message">
            {(attributes) => (
              <textarea
                {...attributes}
                required
                maxlength={4096}
                value={body}
                onInput={({ currentTarget }) => {
                  changed()
                  setBody(currentTarget.value)
                }}
              ></textarea>
            )}
          </Field>
        ) : (
          <TemplateFields
            templates={templates}
            template={template}
            variables={variables}
            onTemplate={(one) => {
              changed()
              setTemplate(one)
              setVariables({})
            }}
            onVariables={(all) => {
              changed()
              setVariables(all)
            }}
          />
        )}
        <Refusal fault={refused} />
        <FormActions onClose={onClose} is_busy={is_busy}>
          <Icon name="send" /> Send
        </FormActions>
      </form>
    </Dialog>
  )
}

function TemplateFields({
  templates,
  template,
  variables,
  onTemplate,
  onVariables,
}: {
  templates: AnyRecord[] | undefined
  template: AnyRecord | null
  variables: Record<string, string>
  onTemplate(template: AnyRecord | null): void
  onVariables(variables: Record<string, string>): void
}) {
  if (templates === undefined)
    return (
      <p class="faint" role="status">
        Loading the templates…
      </p>
    )
  if (templates.length === 0) return <p class="faint">The channel has no approved template.</p>
  const words: AnyRecord | undefined = template?.components.find(
    ({ type }: AnyRecord) => String(type).toUpperCase() === 'BODY',
  )
  const chosen = ({ currentTarget }: TargetedEvent<HTMLSelectElement>) =>
    onTemplate(templates.find(({ _id }) => _id === currentTarget.value) ?? null)
  return (
    <>
      <Field label="Template">
        {(attributes) => (
          <span class="select">
            <select {...attributes} required value={template?._id ?? ''} onChange={chosen}>
              <option value="">Choose…</option>
              {templates.map(({ _id, name, language }) => (
                <option value={_id} key={_id}>
                  {name} ({language})
                </option>
              ))}
            </select>
            <Icon name="down" />
          </span>
        )}
      </Field>
      {words?.text && <p class="people-template">{filled(words.text, variables)}</p>}
      {(template?.variables ?? []).map((name: string) => (
        <Field label={`Variable ${name}`} key={name}>
          {(attributes) => (
            <input
              {...attributes}
              type="text"
              required
              maxlength={4096}
              value={variables[name] ?? ''}
              onInput={({ currentTarget }) => onVariables({ ...variables, [name]: currentTarget.value })}
            />
          )}
        </Field>
      ))}
    </>
  )
}

function useTemplates(project: Project, channel_id: string, is_wanted: boolean) {
  const [templates, setTemplates] = useState<AnyRecord[] | undefined>(undefined)
  const [fault, setFault] = useState<Fault | null>(null)
  useEffect(() => {
    if (!is_wanted) return
    let is_current = true
    project.api.get('messages/templates', { channel_id, limit: MAX_TEMPLATES }).then(
      ({ data }) => is_current && setTemplates(data.filter(({ status }: AnyRecord) => /approved/i.test(status))),
      (error) => is_current && setFault(faultOf(error)),
    )
    return () => {
      is_current = false
    }
  }, [project, channel_id, is_wanted])
  return { templates, fault }
}

function filled(text: string, variables: Record<string, string>) {
  return text.replaceAll(/\{\{([^{}]{1,200})\}\}/g, (whole, name) => variables[name.trim()] || whole)
}

/** The receiver as a request names it. */
function addressOf({ channel_type, user_id, phone }: AnyRecord, to: string) {
  if (channel_type !== 'whatsapp') return user_id
  return phone ?? `+${to.replace(/^\+/, '')}`
}
