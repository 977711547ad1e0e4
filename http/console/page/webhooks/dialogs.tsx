/** The questions about a subscription: a test event, sending again, a new secret, deletion. */

import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Webhook } from '../records/webhook.ts'
import { Field, SelectField } from '../ui/forms/field.tsx'
import { Refusal } from '../ui/forms/form_end.tsx'
import { useAction } from '../ui/hooks.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { toast } from '../ui/overlays/toast.ts'
import { matched } from './event_choice.ts'
import { webhooksPlace } from './places.ts'
import type { Webhooks } from './webhooks.ts'

type DialogProps = { webhooks: Webhooks; webhook: Webhook; onClose(): void }

const HOUR_S = 3_600
/** How long what was replaced may still be used, in seconds. */
export const GRACES = [
  { value: '0', text: 'Not at all: others may know it' },
  { value: String(HOUR_S), text: 'For an hour' },
  { value: String(24 * HOUR_S), text: 'For a day' },
  { value: String(7 * 24 * HOUR_S), text: 'For a week' },
]

/** The common frame: an action that closes the dialog when it succeeds, and says why when it is refused. */
export function Question({
  title,
  act,
  act_text,
  busy_text,
  button = 'primary',
  onClose,
  children,
}: {
  title: string
  act(): Promise<void>
  act_text: string
  busy_text: string
  button?: string
  onClose(): void
  children: ComponentChildren
}) {
  return (
    <Dialog title={title} class="webhook-dialog" onClose={onClose}>
      {(close) => (
        <Inside act={act} act_text={act_text} busy_text={busy_text} button={button} close={close}>
          {children}
        </Inside>
      )}
    </Dialog>
  )
}

function Inside({
  act,
  act_text,
  busy_text,
  button,
  close,
  children,
}: {
  act(): Promise<void>
  act_text: string
  busy_text: string
  button: string
  close(): void
  children: ComponentChildren
}) {
  const { run, is_busy, fault } = useAction(async () => {
    await act()
    close()
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  return (
    <form class="webhook-question" onSubmit={submit} novalidate>
      {children}
      <Refusal fault={fault} />
      <div class="actions">
        <button type="button" class="button" onClick={close}>
          Back
        </button>
        <button type="submit" class={`button ${button}`} aria-busy={is_busy}>
          {is_busy ? busy_text : act_text}
        </button>
      </div>
    </form>
  )
}

export function TestDialog({ webhooks, webhook, onClose }: DialogProps) {
  const types = (webhooks.types.value ?? []).map(({ type }) => type)
  const own = matched(webhook.events, types)
  const [type, setType] = useState(own[0] ?? types[0] ?? '')
  const chosen = type || own[0] || types[0] || ''
  const act = async () => {
    await webhooks.api.test(webhook.id, chosen)
    toast(`A test event ${chosen} is on its way.`)
    webhooks.read()
  }
  const others = types.filter((one) => !own.includes(one))
  return (
    <Question title="Send a test event" act={act} act_text="Send it" busy_text="Sending…" onClose={onClose}>
      <p class="faint">
        It has made-up data with <code>_test: true</code>, and is signed like a real one. It is sent even while the
        webhook is disabled, and never counts as a failure.
      </p>
      <SelectField
        label="Event type"
        value={chosen}
        options={[...own, ...others].map((one) => ({ value: one, text: one }))}
        onChange={setType}
      />
    </Question>
  )
}

export function RecoverDialog({ webhooks, webhook, onClose }: DialogProps) {
  const [since, setSince] = useState(() => localTime(new Date(Date.now() - 24 * HOUR_S * 1000)))
  const act = async () => {
    await webhooks.api.recover(webhook.id, new Date(since).toISOString())
    toast('Failed deliveries are being sent again.')
    webhooks.read()
  }
  return (
    <Question
      title="Send failed deliveries again"
      act={act}
      act_text="Send again"
      busy_text="Starting…"
      onClose={onClose}
    >
      <p class="faint">
        Every delivery since then that failed for good is sent again, beside new events and as fast as the receiver
        accepts them.
      </p>
      <Field label="Since" hint="In your time zone.">
        {(attributes) => (
          <input
            {...attributes}
            type="datetime-local"
            required
            max={localTime(new Date())}
            value={since}
            onInput={({ currentTarget }) => setSince(currentTarget.value)}
          />
        )}
      </Field>
    </Question>
  )
}

export function RotateDialog({ webhooks, webhook, onClose }: DialogProps) {
  const [grace_s, setGrace] = useState(String(24 * HOUR_S))
  // A lost answer is asked for again under the same key, so the secret is replaced once.
  const key = useMemo(() => crypto.randomUUID(), [grace_s])
  const act = async () => {
    const rotated = await webhooks.api.rotate(webhook.id, Number(grace_s), key)
    webhooks.keep(rotated)
    webhooks.secret.value = { webhook: rotated, is_new: false }
  }
  return (
    <Question title="Replace the secret?" act={act} act_text="Replace it" busy_text="Replacing…" onClose={onClose}>
      <p class="faint">
        Deliveries are signed with a new secret from now on. Meanwhile the former one can sign, too, so that the
        receiver has time to change.
      </p>
      <SelectField label="The former secret goes on signing" value={grace_s} options={GRACES} onChange={setGrace} />
    </Question>
  )
}

export function DeleteDialog({ webhooks, webhook, onClose }: DialogProps) {
  const act = async () => {
    await webhooks.api.remove(webhook.id)
    webhooks.forget(webhook.id)
    toast(`“${webhook.name}” is deleted.`)
    location.hash = webhooksPlace(webhooks.project_id)
  }
  return (
    <Question
      title={`Delete “${webhook.name}”?`}
      act={act}
      act_text="Delete webhook"
      busy_text="Deleting…"
      button="danger full"
      onClose={onClose}
    >
      <p>Nothing more is sent to it: deliveries that wait are ended. This cannot be undone; disabling it can.</p>
    </Question>
  )
}

/** As the field wants it, in the zone of this machine. */
function localTime(date: Date) {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
