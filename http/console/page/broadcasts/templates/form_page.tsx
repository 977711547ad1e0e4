/** The form of a template, new or existing, with its preview. One file, because all fields share the form's state. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { errorText } from '../../data/errors.ts'
import { Resource } from '../../data/resource.ts'
import type { Template } from '../../records/template.ts'
import { Field, SelectField } from '../../ui/forms/field.tsx'
import { useAction } from '../../ui/hooks.ts'
import { toast } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Empty } from '../../ui/placeholders/empty.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import { templatesPlace } from '../places.ts'
import { ButtonsField } from './buttons_field.tsx'
import { DeleteDialog } from './delete_dialog.tsx'
import {
  changesOf,
  componentsOf,
  type Draft,
  draftOf,
  faultsOf,
  fieldsOf,
  isChanged,
  NEW_DRAFT,
  variablesOf,
} from './draft.ts'
import { FileField } from './file_field.tsx'
import { Preview } from './preview.tsx'
import type { Templates } from './templates.ts'
import { notesOf, stateOf } from './words.ts'

const CATEGORIES = [
  { value: 'UTILITY', text: 'Utility: about something the person asked for' },
  { value: 'MARKETING', text: 'Marketing: offers and news' },
] as const

const HEADERS = [
  { value: 'TEXT', text: 'Text, or none' },
  { value: 'IMAGE', text: 'Picture' },
  { value: 'VIDEO', text: 'Video' },
  { value: 'DOCUMENT', text: 'Document' },
] as const

const MANY = 'Some fields need another value.'

type Channel = { _id: string; name: string }

export function FormPage({
  templates,
  id,
  channels,
}: {
  templates: Templates
  id: string | null
  channels: readonly Channel[]
}) {
  const { project_id, may_manage } = templates
  const resource = useMemo(() => new Resource(async () => (id === null ? null : templates.one(id))), [templates, id])
  useEffect(() => void resource.read(), [resource])
  const { value, fault } = resource.state.value
  return (
    <div class="page">
      <a class="back" href={templatesPlace(project_id)}>
        <Icon name="back" /> Templates
      </a>
      <div class="page-head">
        <h1 tabindex={-1}>{id === null ? 'New template' : (value?.name ?? 'Template')}</h1>
      </div>
      {fault ? (
        <Trouble title="The template could not be loaded" error={fault} onRetry={() => resource.read()} />
      ) : value === undefined ? (
        <Waiting label="Loading" rows={4} />
      ) : (
        <Body
          templates={templates}
          known={value}
          channels={channels}
          may_manage={may_manage}
          key={value?._id ?? channels[0]?._id ?? 'new'}
        />
      )}
    </div>
  )
}

function Body({
  templates,
  known,
  channels,
  may_manage,
}: {
  templates: Templates
  known: Template | null
  channels: readonly Channel[]
  may_manage: boolean
}) {
  const draft = known ? draftOf(known) : { ...NEW_DRAFT, channel_id: channels[0]?._id ?? '' }
  if (!known && channels.length === 0) {
    return (
      <Empty
        icon="template"
        title="This project has no number of WhatsApp’s Cloud API"
        text="An operator can connect one; other channels have no templates."
      />
    )
  }
  if (!known && !may_manage) {
    return (
      <Empty
        icon="lock"
        title="You may not write templates"
        text="This needs the permission console.manage_templates. An operator can give it to you."
      />
    )
  }
  return (
    <div class="template-page">
      <div>
        {known && <State template={known} />}
        {draft && may_manage ? (
          <Form templates={templates} known={known} first={draft} channels={channels} />
        ) : (
          <p class="note">
            {may_manage
              ? 'This template has parts that this form does not know, such as cards, codes or forms. Edit it at WhatsApp or through the API.'
              : 'Editing it needs the permission console.manage_templates.'}
          </p>
        )}
        {known && may_manage && <Deletion templates={templates} template={known} />}
      </div>
      {known && !(draft && may_manage) && <Preview components={known.components} examples={{}} />}
    </div>
  )
}

function State({ template }: { template: Template }) {
  const { style, word } = stateOf(template)
  return (
    <p class="template-state">
      <span class={`badge ${style}`}>{word}</span> {notesOf(template).join(' ')}
    </p>
  )
}

function Deletion({ templates, template }: { templates: Templates; template: Template }) {
  const [is_asked, setAsked] = useState(false)
  return (
    <p class="template-deletion">
      <button type="button" class="button danger" onClick={() => setAsked(true)}>
        Delete template
      </button>
      {is_asked && <DeleteDialog templates={templates} template={template} onClose={() => setAsked(false)} />}
    </p>
  )
}

function Form({
  templates,
  known,
  first,
  channels,
}: {
  templates: Templates
  known: Template | null
  first: Draft
  channels: readonly Channel[]
}) {
  const [draft, setDraft] = useState(first)
  const key = useMemo(() => crypto.randomUUID(), [draft])
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const asked = useRef(draft)
  const { run, is_busy, fault } = useAction(async () => {
    asked.current = draft
    if (known) await templates.update(known._id, changesOf(draft, known))
    else await templates.create(fieldsOf(draft), key)
    toast(known ? 'The edit was submitted for review.' : `“${draft.name.trim()}” was submitted for review.`)
    location.hash = templatesPlace(templates.project_id)
  })
  const components = componentsOf(draft)
  const details = (fault as { details?: { violations?: { path: string; message: string }[] } } | null)?.details
  const all = Object.entries(faultsOf(details?.violations ?? [], componentsOf(asked.current)))
  // A fault is shown until its field is changed.
  const faults = Object.fromEntries(all.filter(([field]) => !isChanged(field, asked.current, draft)))
  const is_open = Object.keys(faults).length > 0
  const unseen = Object.entries(faults).find(([field]) => field === 'category' || field === 'channel_id')
  const of_fields = unseen ? unseen[1].replace(/^It/, unseen[0] === 'category' ? 'The category' : 'The number') : MANY
  const trouble = is_open ? of_fields : all.length === 0 && fault && errorText(fault)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  const text = (field: 'name' | 'language' | 'header' | 'footer', label: string, max: number, hint?: string) => (
    <Field label={label} error={faults[field] ?? null} {...(hint && { hint })}>
      {(attributes) => (
        <input
          {...attributes}
          type="text"
          maxlength={max}
          autocomplete="off"
          value={draft[field]}
          onInput={({ currentTarget }) => set({ [field]: currentTarget.value })}
        />
      )}
    </Field>
  )
  return (
    <div class="template-write">
      <form class="card template-form" onSubmit={submit} novalidate>
        {!known && (
          <>
            {channels.length > 1 && (
              <SelectField
                label="Number"
                value={draft.channel_id}
                options={channels.map(({ _id, name }) => ({ value: _id, text: name }))}
                onChange={(channel_id) => set({ channel_id, file: null })}
              />
            )}
            {text('name', 'Name', 512, 'Small letters, digits and _. People do not see it.')}
            {text('language', 'Language', 6, 'Such as en_US, es or pt_BR.')}
          </>
        )}
        {known?.status !== 'APPROVED' && (
          <SelectField
            label="Category"
            value={draft.category}
            options={CATEGORIES}
            hint="It decides the price. WhatsApp moves a template that does not fit."
            onChange={(category) => set({ category })}
          />
        )}
        <SelectField
          label="Kind of header"
          value={draft.header_format}
          options={HEADERS}
          onChange={(header_format) => set({ header_format, file: null })}
        />
        {draft.header_format === 'TEXT' ? (
          text('header', 'Header', 60, 'Optional.')
        ) : (
          <FileField
            key={`${draft.channel_id} ${draft.header_format}`}
            templates={templates}
            channel_id={draft.channel_id}
            format={draft.header_format}
            file={draft.file}
            error={faults.file ?? null}
            onChange={(file) => setDraft((now) => ({ ...now, file }))}
          />
        )}
        <Field
          label="Text"
          error={faults.body ?? null}
          hint="{{1}}, {{2}}, … or {{name}} stand for what differs from person to person."
        >
          {(attributes) => (
            <textarea
              {...attributes}
              rows={6}
              maxlength={1024}
              value={draft.body}
              onInput={({ currentTarget }) => set({ body: currentTarget.value })}
            />
          )}
        </Field>
        {text('footer', 'Footer', 60, 'Optional.')}
        <ButtonsField buttons={draft.buttons} error={faults.buttons} onChange={(buttons) => set({ buttons })} />
        {variablesOf(draft).map((name) => (
          <Field label={`Example of ${labelOf(name)}`} error={faults[`example ${name}`] ?? null} key={name}>
            {(attributes) => (
              <input
                {...attributes}
                type="text"
                maxlength={200}
                autocomplete="off"
                value={draft.examples[name] ?? ''}
                onInput={({ currentTarget }) => set({ examples: { ...draft.examples, [name]: currentTarget.value } })}
              />
            )}
          </Field>
        ))}
        <div role="alert">
          {trouble && (
            <p class="note bad">
              <Icon name="alert" /> {trouble}
            </p>
          )}
        </div>
        <div class="actions">
          <button type="submit" class="button primary" aria-busy={is_busy}>
            {is_busy ? 'Submitting…' : 'Submit for review'}
          </button>
          <a class="button" href={templatesPlace(templates.project_id)}>
            Cancel
          </a>
        </div>
      </form>
      <Preview components={components} examples={draft.examples} />
    </div>
  )
}

function labelOf(name: string) {
  const button = /^button_(\d+)$/.exec(name)?.[1]
  if (button !== undefined) return `the end of the link of button ${Number(button) + 1}`
  return name.startsWith('header_') ? `{{${name.slice('header_'.length)}}} in the header` : `{{${name}}}`
}
