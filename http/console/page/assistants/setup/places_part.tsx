/** The places and times at which an assistant answers people, each with a sentence that says the same. */

import { useEffect, useState } from 'preact/hooks'
import { errorText } from '../../data/errors.ts'
import type { Answers, AssistantDeployment } from '../../records/assistant.ts'
import { Field, SelectField, Switch } from '../../ui/forms/field.tsx'
import { useAction } from '../../ui/hooks.ts'
import { toast } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import type { PartProps } from '../part.ts'
import { ANSWERS_WORDS, channelText, deploymentText, namesOf } from '../words.ts'
import { CheckList } from './check_list.tsx'
import { draftOf, isSame, NEW_ROW, type RowDraft, rowsOf } from './rows.ts'

const MOST = 20

const ANSWERS = (Object.keys(ANSWERS_WORDS) as Answers[]).map((value) => ({ value, text: ANSWERS_WORDS[value] }))

export function PlacesPart(props: PartProps) {
  const { value, fault } = props.open.deployments.state.value
  if (fault) {
    return (
      <Trouble title="The places could not be loaded" error={fault} onRetry={() => props.open.deployments.read()} />
    )
  }
  if (!value) return <Waiting label="Loading the places" rows={2} />
  return <Places {...props} stored={value} />
}

function Places({ assistants, open, assistant, stored }: PartProps & { stored: AssistantDeployment[] }) {
  const [before, setBefore] = useState(stored)
  const [rows, setRows] = useState(() => stored.map(draftOf))
  const [is_contested, setContested] = useState(false)
  const { may_manage } = assistants
  const wanted = rowsOf(rows)
  const is_dirty = !isSame(wanted, before)
  useEffect(() => open.mark('places', is_dirty), [is_dirty])
  useEffect(() => () => open.mark('places', false), [])
  const take = (deployments: AssistantDeployment[]) => {
    setBefore(deployments)
    setRows(deployments.map(draftOf))
    setContested(false)
  }
  // Changes of colleagues are taken over while nothing is written here.
  useEffect(() => {
    if (!is_dirty && !isSame(stored, before)) take(stored)
  }, [stored, is_dirty])
  const { run, is_busy, fault } = useAction(async () => {
    const now = await assistants.api.deployments(assistant._id)
    if (!isSame(now, before) && !isSame(now, wanted) && !is_contested) {
      setContested(true)
      return
    }
    const saved = await assistants.api.setDeployments(assistant._id, wanted)
    open.deployments.put(saved)
    take(saved)
    void assistants.overview.read()
    toast('Saved')
  })
  const change = (at: number, fields: Partial<RowDraft>) =>
    setRows(rows.map((row, place) => (place === at ? { ...row, ...fields } : row)))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run()
  }
  return (
    <form class="assistant-form" onSubmit={submit} novalidate>
      {!assistant.is_active && (
        <p class="note wary">
          <Icon name="alert" /> The assistant is switched off, so it answers nowhere until it is on.
        </p>
      )}
      <fieldset class="assistant-fields" disabled={!may_manage}>
        <legend class="aside">Places</legend>
        {rows.length === 0 && (
          <p class="card assistant-card">
            It answers nowhere. Colleagues can still let it answer a ticket by hand, in the head of the conversation.
          </p>
        )}
        {rows.map((row, at) => (
          <Row
            {...{ open, row, at }}
            onChange={(fields) => change(at, fields)}
            onRemove={may_manage ? () => setRows(rows.filter((_, place) => place !== at)) : undefined}
            key={row.key}
          />
        ))}
      </fieldset>
      {rows.length > 1 && (
        <p class="faint">
          Where several fit a ticket, the one that names channels decides, then the one that names tags, then the first.
        </p>
      )}
      <div role="alert">
        {fault && (
          <p class="note bad">
            <Icon name="alert" /> It was not saved. {errorText(fault)}
          </p>
        )}
        {is_contested && (
          <p class="note wary">
            <Icon name="alert" /> Somebody else has changed the places meanwhile. Save again to replace them, or discard
            your changes to see them.
          </p>
        )}
      </div>
      {may_manage && (
        <div class="actions assistant-save">
          <button
            type="button"
            class="button"
            disabled={rows.length >= MOST}
            onClick={() => setRows([...rows, { ...NEW_ROW, key: crypto.randomUUID() }])}
          >
            <Icon name="plus" /> Add a place
          </button>
          <button type="submit" class="button primary" disabled={!is_dirty} aria-busy={is_busy}>
            {is_busy ? 'Saving…' : is_contested ? 'Save mine' : 'Save'}
          </button>
          {is_dirty && (
            <button type="button" class="button" onClick={() => take(stored)}>
              Discard
            </button>
          )}
        </div>
      )}
    </form>
  )
}

function Row({
  open,
  row,
  at,
  onChange,
  onRemove,
}: {
  open: PartProps['open']
  row: RowDraft
  at: number
  onChange(fields: Partial<RowDraft>): void
  onRemove: (() => void) | undefined
}) {
  const definitions = open.project.definitions.value
  const names = namesOf(definitions)
  const text = deploymentText(rowsOf([row])[0]!, names)
  const listed = (items: { id: string; text: string }[], chosen: string[], gone: (id: string) => string) => [
    ...items,
    ...chosen.filter((id) => !items.some((one) => one.id === id)).map((id) => ({ id, text: gone(id) })),
  ]
  const channels = (definitions?.channels ?? []).map((channel) => ({ id: channel._id, text: channelText(channel) }))
  const tags = (definitions?.tags ?? []).map(({ _id, name }) => ({ id: _id, text: name }))
  return (
    <section class="card assistant-card" aria-label={`Place ${at + 1}`}>
      <div class="assistant-place-head">
        <p class="assistant-sentence">{text}</p>
        {onRemove && (
          <button type="button" class="quiet icon-button" aria-label={`Remove place ${at + 1}`} onClick={onRemove}>
            <Icon name="trash" />
          </button>
        )}
      </div>
      <div class="assistant-pair">
        <SelectField label="When" value={row.answers} options={ANSWERS} onChange={(answers) => onChange({ answers })} />
        {row.answers === 'unanswered' && (
          <Field label="Minutes without an answer" hint="1 to 1440.">
            {(attributes) => (
              <input
                {...attributes}
                type="number"
                min={1}
                max={1440}
                value={row.after_minutes}
                onInput={({ currentTarget }) => onChange({ after_minutes: currentTarget.value })}
              />
            )}
          </Field>
        )}
      </div>
      <CheckList
        label="On these channels (none: on every channel)"
        items={listed(channels, row.channel_ids, names.channels.name)}
        chosen={row.channel_ids}
        none="The project has no channels yet."
        onChange={(channel_ids) => onChange({ channel_ids })}
      />
      <CheckList
        label="For tickets with one of these tags (none: every ticket)"
        items={listed(tags, row.tag_ids, names.tags.name)}
        chosen={row.tag_ids}
        none="The project has no tags."
        onChange={(tag_ids) => onChange({ tag_ids })}
      />
      <Switch label="In use" is_on={row.is_active} onChange={(is_active) => onChange({ is_active })} />
    </section>
  )
}
