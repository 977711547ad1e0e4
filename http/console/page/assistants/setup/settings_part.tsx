/** The settings of an assistant: name, picture, model, budget, hand-over, and the fields that it may set. */

import { useEffect, useMemo, useState } from 'preact/hooks'
import { errorText } from '../../data/errors.ts'
import { Field, SelectField } from '../../ui/forms/field.tsx'
import { useAction } from '../../ui/hooks.ts'
import { toast } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { PartProps } from '../part.ts'
import { fieldFaults } from '../words.ts'
import { HandOverFields } from './hand_over_fields.tsx'
import { changesOf, contestedFields, draftOf, FIELD_WORDS, type Limit, type SettingsDraft } from './settings.ts'

const LIMIT_WORDS: Record<Limit, { text: string; hint: string }> = {
  conversation_tokens: { text: 'Tokens in a conversation', hint: 'Of questions and answers together.' },
  day_tokens: { text: 'Tokens in a day', hint: 'A day in UTC.' },
  conversation_cost: { text: 'Cost of a conversation', hint: 'In the currency of the models’ prices.' },
  day_cost: { text: 'Cost of a day', hint: 'A day in UTC.' },
}

export function SettingsPart({ assistants, open, assistant }: PartProps) {
  const [before, setBefore] = useState(() => draftOf(assistant))
  const [draft, setDraft] = useState(before)
  /** Fields that somebody else changed, which another press of the button replaces. */
  const [contested, setContested] = useState<string[]>([])
  const { may_manage } = assistants
  const changes = useMemo(() => changesOf(before, draft), [before, draft])
  const is_dirty = Object.keys(changes).length > 0
  useEffect(() => open.mark('settings', is_dirty), [is_dirty])
  useEffect(() => () => open.mark('settings', false), [])
  // Changes of colleagues are taken over while nothing is written here.
  const stored = JSON.stringify(draftOf(assistant))
  useEffect(() => {
    if (is_dirty || stored === JSON.stringify(before)) return
    setBefore(draftOf(assistant))
    setDraft(draftOf(assistant))
  }, [stored, is_dirty])
  const set = (change: Partial<SettingsDraft>) => setDraft({ ...draft, ...change })
  const { run, is_busy, fault } = useAction(async () => {
    const now = await assistants.api.one(assistant._id)
    const others = contestedFields(before, changes, now)
    if (others.some((name) => !contested.includes(name))) {
      setContested(others)
      return
    }
    const saved = await assistants.api.update(assistant._id, changes)
    setContested([])
    setBefore(draftOf(saved))
    setDraft(draftOf(saved))
    assistants.keep(saved)
    toast('Saved')
  })
  const discard = () => {
    setBefore(draftOf(assistant))
    setDraft(draftOf(assistant))
    setContested([])
  }
  const faults = fieldFaults(fault)
  const has_faults = Object.keys(faults).length > 0
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  const models = assistants.overview.value?.models ?? []
  const offered = models.includes(draft.model) ? models : [draft.model, ...models]
  const has_prices = assistants.overview.value?.has_prices ?? false
  const limits = (Object.keys(LIMIT_WORDS) as Limit[]).filter(
    (limit) => has_prices || limit.endsWith('_tokens') || draft.budget[limit] !== '',
  )
  return (
    <form class="assistant-form" onSubmit={submit} novalidate>
      <fieldset class="assistant-fields" disabled={!may_manage}>
        <legend class="aside">Settings</legend>
        <section class="card assistant-card">
          <h2>What people and colleagues see</h2>
          <Text label="Name" name="name" draft={draft} set={set} error={faults.name} most={150} />
          <Text
            label="Description"
            name="description"
            draft={draft}
            set={set}
            error={faults.description}
            most={500}
            hint="For your colleagues."
          />
          <div class="assistant-pair">
            <Text
              label="Emoji"
              name="avatar_emoji"
              draft={draft}
              set={set}
              error={faults.avatar_emoji}
              most={16}
              hint="Shown instead of the picture."
            />
            <Text
              label="Address of a picture"
              name="avatar_url"
              draft={draft}
              set={set}
              error={faults.avatar_url}
              most={2048}
              hint="An https:// address."
            />
          </div>
        </section>
        <section class="card assistant-card">
          <h2>Model and budget</h2>
          <SelectField
            label="Model"
            value={draft.model}
            options={offered.map((one) => ({
              value: one,
              text: models.includes(one) || models.length === 0 ? one : `${one} (not offered any more)`,
            }))}
            onChange={(model) => set({ model })}
          />
          <p class="faint">
            Without limits it spends what it needs. When a limit is reached, people get the conversation.
          </p>
          <div class="assistant-pair">
            {limits.map((limit) => (
              <Field label={LIMIT_WORDS[limit].text} hint={LIMIT_WORDS[limit].hint} key={limit}>
                {(attributes) => (
                  <input
                    {...attributes}
                    inputmode="decimal"
                    autocomplete="off"
                    placeholder="No limit"
                    value={draft.budget[limit]}
                    onInput={({ currentTarget }) => set({ budget: { ...draft.budget, [limit]: currentTarget.value } })}
                  />
                )}
              </Field>
            ))}
          </div>
          {faults.budget && (
            <p class="field-error">
              <Icon name="alert" /> {faults.budget}
            </p>
          )}
        </section>
        <HandOverFields project={open.project} draft={draft} set={set} />
      </fieldset>
      <div role="alert">
        {fault && (
          <p class="note bad">
            <Icon name="alert" /> {has_faults ? 'Some fields need another value.' : errorText(fault)}
          </p>
        )}
        {contested.length > 0 && (
          <p class="note wary">
            <Icon name="alert" />
            <span>
              Somebody else has changed {contested.map((name) => FIELD_WORDS[name] ?? name).join(', ')} meanwhile. Save
              again to replace it, or discard your changes to see it.
            </span>
          </p>
        )}
      </div>
      {may_manage && (
        <div class="actions assistant-save">
          <button type="submit" class="button primary" disabled={!is_dirty} aria-busy={is_busy}>
            {is_busy ? 'Saving…' : contested.length > 0 ? 'Save mine' : 'Save'}
          </button>
          {is_dirty && (
            <button type="button" class="button" onClick={discard}>
              Discard
            </button>
          )}
        </div>
      )}
    </form>
  )
}

function Text({
  label,
  name,
  draft,
  set,
  error,
  most,
  hint,
}: {
  label: string
  name: 'name' | 'description' | 'avatar_url' | 'avatar_emoji'
  draft: SettingsDraft
  set(change: Partial<SettingsDraft>): void
  error: string | undefined
  most: number
  hint?: string
}) {
  return (
    <Field label={label} {...(hint && { hint })} error={error ?? null}>
      {(attributes) => (
        <input
          {...attributes}
          value={draft[name]}
          maxlength={most}
          autocomplete="off"
          onInput={({ currentTarget }) => set({ [name]: currentTarget.value })}
        />
      )}
    </Field>
  )
}
