/** The form of a subscription, new or existing. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { errorText } from '../data/errors.ts'
import type { EventType, Webhook } from '../records/webhook.ts'
import { Field, SelectField, Switch } from '../ui/forms/field.tsx'
import { useAction, useElement } from '../ui/hooks.ts'
import { toast } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { EventPicker } from './event_picker.tsx'
import { changesOf, type Draft, draftOf, fieldsOf, NEW_DRAFT } from './form.ts'
import { HeadersField } from './headers_field.tsx'
import { webhooksPlace } from './places.ts'
import type { Webhooks } from './webhooks.ts'
import { fieldFaults } from './words.ts'

const PAYLOADS = [
  { value: 'full', text: 'The whole record' },
  { value: 'thin', text: 'Only addresses of the record' },
] as const
const FORMATS = [
  { value: 'standard', text: 'Parley’s envelope' },
  { value: 'cloudevents', text: 'CloudEvents 1.0' },
] as const
const ORDERINGS = [
  { value: 'none', text: 'As fast as possible' },
  { value: 'contact', text: 'In order for each contact' },
  { value: 'subscription', text: 'All in order' },
] as const
const MODES = [
  { value: 'push', text: 'Send to an address', hint: 'Parley makes a request for each event.' },
  { value: 'poll', text: 'Let the receiver fetch', hint: 'For programs behind a firewall.' },
] as const

export function FormPage({ webhooks, id }: { webhooks: Webhooks; id: string | null }) {
  useEffect(() => webhooks.readTypes(), [webhooks])
  const resource = webhooks.webhook.value
  const known = id === null ? undefined : resource?.value
  const back = webhooksPlace(webhooks.project_id, ...(id === null ? [] : [id]))
  const types = webhooks.types.state.value
  const fault = types.fault ?? (id === null ? null : (resource?.fault ?? null))
  const retry = () => {
    webhooks.readTypes()
    void resource?.read()
  }
  const known_types = id === null || known ? types.value : undefined
  return (
    <div class="page webhook-form-page">
      <a class="back" href={back}>
        <Icon name="back" /> {known?.name ?? 'Webhooks'}
      </a>
      <div class="page-head">
        <h1 tabindex={-1}>{id === null ? 'New webhook' : 'Edit webhook'}</h1>
      </div>
      {webhooks.may_manage ? (
        fault ? (
          <Trouble title="The form could not be loaded" error={fault} onRetry={retry} />
        ) : known_types ? (
          <Form webhooks={webhooks} known={known ?? null} types={known_types} back={back} />
        ) : (
          <Waiting label="Loading" rows={4} />
        )
      ) : (
        <Empty
          icon="lock"
          title="You may not change webhooks"
          text="This needs the permission developer.manage_webhooks. An operator can give it to you."
        />
      )}
    </div>
  )
}

function Form({
  webhooks,
  known,
  types,
  back,
}: {
  webhooks: Webhooks
  known: Webhook | null
  types: EventType[]
  back: string
}) {
  // A later form of the record does not disturb what is typed.
  const before = useMemo(() => (known ? draftOf(known) : NEW_DRAFT), [])
  const [draft, setDraft] = useState(before)
  const key = useMemo(() => crypto.randomUUID(), [draft])
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const asked = useRef(draft)
  const form = useElement<HTMLFormElement>()
  const { run, is_busy, fault } = useAction(async () => {
    asked.current = draft
    if (known) {
      webhooks.keep(await webhooks.api.update(known.id, changesOf(before, draft)))
      toast(`“${draft.name.trim()}” is saved.`)
      location.hash = back
      return
    }
    const created = await webhooks.api.create(fieldsOf(draft), key)
    webhooks.secret.value = { webhook: created, is_new: true }
    location.hash = webhooksPlace(webhooks.project_id, created.id)
  })
  // A fault is shown until its field is changed.
  const faults = Object.fromEntries(
    Object.entries(fieldFaults(fault)).filter(([name]) => {
      const field = name as keyof Draft
      return asked.current[field] === draft[field]
    }),
  )
  const is_of_fields = Object.keys(fieldFaults(fault)).length > 0
  const are_left = Object.keys(faults).length > 0
  const trouble = is_of_fields ? are_left && 'Some fields need another value.' : fault && errorText(fault)
  useEffect(() => {
    const wrong = fault && form.current.querySelector('[aria-invalid], [aria-describedby$="-error"] input')
    if (wrong instanceof HTMLElement) wrong.focus()
  }, [fault])
  const is_push = draft.mode === 'push'
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  return (
    <form ref={form} class="webhook-form" onSubmit={submit} novalidate>
      <section class="card webhook-part">
        <Text
          label="Name"
          field="name"
          draft={draft}
          set={set}
          error={faults.name}
          maxlength={120}
          placeholder="Orders"
        />
        {!known && (
          <fieldset class="webhook-modes">
            <legend>Delivery</legend>
            {MODES.map(({ value, text, hint }) => (
              <label class="webhook-mode" key={value}>
                <input type="radio" name="mode" checked={draft.mode === value} onChange={() => set({ mode: value })} />
                <span>
                  <b>{text}</b> <span class="faint">{hint}</span>
                </span>
              </label>
            ))}
          </fieldset>
        )}
        {is_push && (
          <Text
            label="Address"
            field="url"
            draft={draft}
            set={set}
            error={faults.url}
            hint="An https:// address on the public Internet."
            maxlength={2048}
            placeholder="https://shop.example.com/hooks"
            type="url"
          />
        )}
      </section>
      <section class="card webhook-part">
        <EventPicker
          entries={draft.events}
          types={types}
          error={faults.events}
          onChange={(events) => set({ events })}
        />
      </section>
      <section class="card webhook-part">
        <h2>Form</h2>
        <div class="webhook-pair">
          <SelectField
            label="Content"
            value={draft.payload}
            options={PAYLOADS}
            hint={draft.payload === 'thin' ? 'Keeps personal data out of queues on the way.' : undefined}
            onChange={(payload) => set({ payload })}
          />
          <SelectField label="Envelope" value={draft.format} options={FORMATS} onChange={(format) => set({ format })} />
        </div>
      </section>
      {is_push && (
        <section class="card webhook-part">
          <h2>Requests</h2>
          <div class="webhook-pair">
            <SelectField
              label="Order"
              value={draft.ordering}
              options={ORDERINGS}
              hint={draft.ordering === 'none' ? undefined : 'A delivery that is retried holds up the ones behind it.'}
              onChange={(ordering) => set({ ordering })}
            />
            <Text
              label="Requests at once"
              field="concurrency"
              draft={draft}
              set={set}
              error={faults.concurrency}
              type="number"
              hint="1 to 64."
            />
          </div>
          <HeadersField headers={draft.headers} error={faults.headers} onChange={(headers) => set({ headers })} />
          <Switch
            label="Sign with the project’s public key, too"
            hint="Ed25519: receivers can verify deliveries without holding a secret."
            is_on={draft.ed25519}
            onChange={(ed25519) => set({ ed25519 })}
          />
          <Switch
            label="Disable it when the receiver answers 410"
            hint="Otherwise a 410 ends one delivery."
            is_on={draft.disable_on_410}
            onChange={(disable_on_410) => set({ disable_on_410 })}
          />
        </section>
      )}
      <div role="alert">
        {trouble && (
          <p class="note bad">
            <Icon name="alert" /> {trouble}
          </p>
        )}
      </div>
      <div class="actions webhook-submit">
        <button type="submit" class="button primary" aria-busy={is_busy}>
          {is_busy ? 'Saving…' : known ? 'Save' : 'Create webhook'}
        </button>
        <a class="button" href={back}>
          Cancel
        </a>
      </div>
    </form>
  )
}

function Text({
  label,
  field,
  draft,
  set,
  error,
  hint,
  type = 'text',
  maxlength,
  placeholder,
}: {
  label: string
  field: 'name' | 'url' | 'concurrency'
  draft: Draft
  set(change: Partial<Draft>): void
  error?: string | undefined
  hint?: string
  type?: 'text' | 'url' | 'number'
  maxlength?: number
  placeholder?: string
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) => (
        <input
          {...attributes}
          type={type as 'text'}
          min={type === 'number' ? '1' : undefined}
          max={type === 'number' ? '64' : undefined}
          maxlength={maxlength}
          placeholder={placeholder}
          autocomplete="off"
          spellcheck={false}
          value={draft[field]}
          onInput={({ currentTarget }) => set({ [field]: currentTarget.value })}
        />
      )}
    </Field>
  )
}
