/** A conversation with the assistant beside its editor. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { TurnDetails } from '../../crm/turn_details.tsx'
import { reasonClause } from '../../crm/turn_reasons.ts'
import { errorText } from '../../data/errors.ts'
import type { AnyRecord } from '../../records/record.ts'
import { Field, SelectField, Switch } from '../../ui/forms/field.tsx'
import { useElement } from '../../ui/hooks.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { PartProps } from '../part.ts'
import type { Playground, Said, ToolMode } from './playground.ts'

const MODES: { value: ToolMode; text: string; hint: string }[] = [
  { value: 'read', text: 'Read only', hint: 'Tools that read are called. Those that would change something are not.' },
  { value: 'live', text: 'Live', hint: 'All webhooks are called, also those that change something at your systems.' },
  { value: 'fixtures', text: 'Given results', hint: 'No webhook is called: the results below stand for theirs.' },
]

/** Characters of a message. */
const MOST = 8_000

const EXAMPLE = '[{ "tool": "find_orders", "result": { "status": "on its way" } }]'

export function PlaygroundPane({ open, assistant }: PartProps) {
  const { playground } = open
  const { name } = assistant
  const said = playground.said.value
  const is_asked = playground.asked.value !== null
  const tried = open.tried.value.length
  const log = useElement<HTMLDivElement>()
  const [why, setWhy] = useState<AnyRecord | null>(null)
  useEffect(() => {
    const { current } = log
    if (current) current.scrollTop = current.scrollHeight
  }, [said.length, is_asked])
  return (
    <div class="playground">
      <p class="faint">
        Nothing of this conversation is stored or sent to anybody. What the model costs counts against the budgets.
      </p>
      <p class={tried > 0 ? 'note' : 'faint'}>
        {tried === 0
          ? 'It answers with the instructions as they are saved.'
          : tried === 1
            ? 'It answers with a block that you have changed and not saved.'
            : `It answers with ${tried} blocks that you have changed and not saved.`}
      </p>
      <Tools playground={playground} />
      {assistant.blocks.some(({ held_version }) => held_version) && (
        <Switch
          label="With versions that are held"
          is_on={playground.with_held.value}
          onChange={(is_on) => (playground.with_held.value = is_on)}
        />
      )}
      <div ref={log} class="playground-log" role="log" aria-label={`Conversation with ${name}`} tabindex={0}>
        <ol>
          {said.map((one, at) => (
            <Entry said={one} name={name} onWhy={setWhy} key={at} />
          ))}
          {is_asked && (
            <li class="playground-said is-waiting">
              <span class="faint">
                <bdi>{name}</bdi> writes…
              </span>
            </li>
          )}
          {said.length === 0 && !is_asked && (
            <li class="playground-none faint">
              Write what a person would write, and see what <bdi>{name}</bdi> answers.
            </li>
          )}
        </ol>
      </div>
      <Composer playground={playground} is_asked={is_asked} has_said={said.length > 0} />
      {why && (
        <Dialog title={`Why ${name} answered so`} has_close class="why" onClose={() => setWhy(null)}>
          <TurnDetails turn={why} />
        </Dialog>
      )}
    </div>
  )
}

function Entry({ said, name, onWhy }: { said: Said; name: string; onWhy(turn: AnyRecord): void }) {
  if (said.kind === 'person') {
    return (
      <li class="playground-said is-person">
        <span class="aside">You: </span>
        <p>{said.text}</p>
      </li>
    )
  }
  if (said.kind === 'canceled') return <li class="playground-note faint">Cancelled. There is no answer.</li>
  if (said.kind === 'failed') {
    return (
      <li class="playground-note">
        <span class="note bad">
          <Icon name="alert" /> {errorText(said.fault)}
        </span>
      </li>
    )
  }
  const { turn, tried } = said
  const { answer, outcome, reason } = turn
  const why = reason ? `: ${reasonClause(reason)}` : ''
  return (
    <li class="playground-said">
      <span class="aside">
        <bdi>{name}</bdi>:{' '}
      </span>
      {answer && <p>{answer}</p>}
      {outcome === 'handed_over' && <p class="faint">People would get the conversation now{why}.</p>}
      {outcome === 'failed' && <p class="playground-failed">It failed, so people would get the conversation{why}.</p>}
      <p class="faint playground-about">
        {tried > 0 && 'With unsaved texts · '}
        <button type="button" class="link" onClick={() => onWhy(turn)}>
          Why?
        </button>
      </p>
    </li>
  )
}

function Tools({ playground }: { playground: Playground }) {
  const mode = playground.mode.value
  const { hint } = MODES.find(({ value }) => value === mode)!
  return (
    <div class="playground-tools">
      <SelectField
        label="Tools"
        value={mode}
        options={MODES}
        hint={hint}
        onChange={(value) => (playground.mode.value = value)}
      />
      {mode === 'fixtures' && (
        <Field label="Results of tools, as JSON" hint="A list; the first one that fits a call answers it.">
          {(attributes) => (
            <textarea
              {...attributes}
              spellcheck={false}
              placeholder={EXAMPLE}
              value={playground.fixtures.value}
              onInput={({ currentTarget }) => (playground.fixtures.value = currentTarget.value)}
            ></textarea>
          )}
        </Field>
      )}
    </div>
  )
}

function Composer({
  playground,
  is_asked,
  has_said,
}: {
  playground: Playground
  is_asked: boolean
  has_said: boolean
}) {
  const [text, setText] = useState('')
  const [trouble, setTrouble] = useState<string | null>(null)
  const field = useElement<HTMLTextAreaElement>()
  const was_asked = useRef(false)
  // The field is off while an answer is awaited, which takes the focus from it.
  useEffect(() => {
    if (was_asked.current && !is_asked && document.activeElement === document.body) field.current.focus()
    was_asked.current = is_asked
  }, [is_asked])
  const send = () => {
    if (text.trim() === '' || is_asked) return
    setTrouble(null)
    playground.say(text.trim()).catch((error) => {
      setText(text)
      setTrouble(`The results of tools cannot be read. ${(error as Error).message}`)
    })
    setText('')
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    send()
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    send()
  }
  return (
    <form class="playground-composer" onSubmit={submit}>
      <div role="alert">
        {trouble && (
          <p class="note bad">
            <Icon name="alert" /> {trouble}
          </p>
        )}
      </div>
      <textarea
        ref={field}
        aria-label="Message to the assistant"
        placeholder="Write as a person would…"
        maxlength={MOST}
        rows={2}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={pressed}
      ></textarea>
      <div class="actions">
        {is_asked ? (
          <button type="button" class="button" onClick={() => playground.cancel()}>
            <Icon name="stop" /> Cancel
          </button>
        ) : (
          <button type="submit" class="button primary">
            <Icon name="send" /> Ask
          </button>
        )}
        {has_said && (
          <button type="button" class="button" onClick={() => playground.clear()}>
            Clear
          </button>
        )}
      </div>
    </form>
  )
}
