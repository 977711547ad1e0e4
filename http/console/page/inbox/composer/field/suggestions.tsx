/**
 * Suggestions of a field while an agent types: canned responses after `/`, colleagues after `@` in notes. The focus stays
 * in the field; arrow keys move, Enter and Tab take, Escape closes. Enter never sends what was typed for the list: it
 * waits for a list that is on its way, and closes one without a match.
 */

import type { RefObject } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Avatar } from '../../../ui/pictures/avatar.tsx'
import { Icon } from '../../../ui/pictures/icons.tsx'
import { CannedResponses } from '../canned/canned.ts'
import { openCanned } from '../canned/canned_place.ts'
import { fill, valuesOf } from '../canned/fill.ts'
import type { ComposeProps } from '../compose_props.ts'
import { agentsFor, insertAt, type Trigger, triggerAt } from '../triggers.ts'

type Choice = {
  id: string
  text: string
  insert: string
  title?: string | null
  preview?: string
  agent?: { _id: string; full_name: string }
}

const MAX_AGENTS = 8
const NOTHING: { trigger: Trigger | undefined; choices: Choice[] } = { trigger: undefined, choices: [] }

export function useSuggestions({
  project,
  thread,
  compose,
  field,
}: ComposeProps & { field: RefObject<HTMLTextAreaElement> }) {
  const list_id = useId()
  const [trigger, setTrigger] = useState<Trigger | undefined>(undefined)
  const [found, setFound] = useState(NOTHING)
  const [at, setAt] = useState(0)
  /** The place of a trigger that was closed by Escape. */
  const closed = useRef(-1)
  const is_note = compose.mode.value === 'note'
  const canned = project.part('canned_responses', () => new CannedResponses(project))
  const known = canned.list.value
  const agents = project.definitions.value?.users.filter(({ is_agent }) => is_agent) ?? []

  /** The word at the caret, as the field has it now: what was typed last may not be rendered yet. */
  const wordAtCaret = () => {
    const { current } = field
    if (!current || document.activeElement !== current || current.selectionStart !== current.selectionEnd)
      return undefined
    const found = triggerOf(current.value, current.selectionStart, is_note, agents)
    if (!found) closed.current = -1
    return found?.start === closed.current ? undefined : found
  }
  const look = () => {
    const found = wordAtCaret()
    if (!isSame(found, trigger)) setTrigger(found)
  }
  const close = () => setTrigger(undefined)

  const agentChoices = (query: string) => agentsFor(agents, query).slice(0, MAX_AGENTS).map(choiceOfAgent)
  const choicesFor = async ({ kind, query }: Trigger): Promise<Choice[]> => {
    if (kind === '@') return agentChoices(query)
    const list = await canned.find(query)
    const values = valuesOf({ contact: thread.contact.peek(), agent: project.user, project })
    return list.map(({ _id, shortcut, title, content }) => {
      const insert = fill(content, values)
      return { id: _id, text: `/${shortcut}`, title, preview: insert, insert }
    })
  }
  useEffect(() => {
    if (!trigger) return setFound(NOTHING)
    let is_current = true
    choicesFor(trigger).then(
      (choices) => {
        if (!is_current) return
        setFound({ trigger, choices })
        setAt(0)
      },
      () => {},
    )
    return () => {
      is_current = false
    }
  }, [trigger?.kind, trigger?.query, trigger?.start, known])

  /** At once, because the next key may come before the next drawing. */
  const put = (text: string, caret: number) => {
    compose.write(text)
    field.current.value = text
    field.current.focus()
    field.current.setSelectionRange(caret, caret)
  }
  const take = (choice: Pick<Choice, 'insert'>, of = trigger) => {
    if (!of) return
    const { text, caret } = insertAt(field.current.value, of, choice.insert)
    put(text, caret)
    close()
  }
  /** Writes the character that opens the list. */
  const begin = (kind: '/' | '@') => {
    const { current } = field
    const { selectionStart: caret, selectionEnd: end, value } = current
    const space = caret > 0 && !/\s/.test(value[caret - 1] ?? '') ? ' ' : ''
    const inserted = insertAt(value, { start: caret, end }, `${space}${kind}`)
    put(inserted.text, inserted.caret)
    look()
  }
  const { choices } = found
  const is_open = trigger !== undefined && (choices.length > 0 || trigger.kind === '/')
  const dismiss = ({ start }: Trigger) => {
    closed.current = start
    close()
  }
  /** Takes the first choice of a list that is not there yet. */
  const takeFirst = async (word: Trigger) => {
    const [first] = await choicesFor(word).catch(() => [])
    if (!isSame(wordAtCaret(), word)) return
    if (first) take(first, word)
    else dismiss(word)
  }
  /** Returns true when the key was for the list. */
  const press = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, shiftKey } = event
    const word = wordAtCaret()
    if (!word) return false
    const is_taking = (key === 'Tab' || (key === 'Enter' && !shiftKey)) && !ctrlKey && !metaKey
    const is_ready = isSame(word, found.trigger)
    const choice = is_ready ? choices[at] : word.kind === '@' ? agentChoices(word.query)[0] : undefined
    if (key === 'Escape') {
      if (!is_open) return false
      dismiss(word)
    } else if (choice && (key === 'ArrowDown' || key === 'ArrowUp'))
      setAt((at + (key === 'ArrowDown' ? 1 : choices.length - 1)) % choices.length)
    else if (choice && is_taking) take(choice, word)
    else if (word.kind === '/' && is_taking && key === 'Enter') {
      if (is_ready) dismiss(word)
      else void takeFirst(word)
    } else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  const attributes = {
    'aria-autocomplete': 'list' as const,
    'aria-controls': is_open ? list_id : undefined,
    'aria-activedescendant': is_open && choices[at] ? `${list_id}-${at}` : undefined,
  }
  return {
    list_id,
    is_open,
    kind: trigger?.kind,
    query: trigger?.query,
    choices,
    at,
    take,
    press,
    look,
    close,
    begin,
    attributes,
    project,
  }
}

export function Suggestions({
  list_id,
  is_open,
  kind,
  query,
  choices,
  at,
  take,
  project,
}: ReturnType<typeof useSuggestions>) {
  useEffect(() => {
    document.getElementById(`${list_id}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [at])
  if (!is_open) return null
  /** The field keeps the focus. */
  const keep = (event: Event) => event.preventDefault()
  const manage = () => {
    // The characters that opened the list are no part of the text.
    take({ insert: '' })
    openCanned(project)
  }
  return (
    <div class="composer-suggestions" onMouseDown={keep}>
      <ul id={list_id} role="listbox" aria-label={kind === '@' ? 'Colleagues' : 'Canned responses'}>
        {choices.map((choice, place) => (
          <li
            id={`${list_id}-${place}`}
            role="option"
            aria-selected={place === at}
            key={choice.id}
            onClick={() => take(choice)}
          >
            {choice.agent && <Avatar name={choice.agent.full_name} id={choice.agent._id} size="small" />}
            <b>{choice.text}</b> {choice.title && <span>{choice.title}</span>}
            {choice.preview && <span class="faint composer-preview">{choice.preview}</span>}
          </li>
        ))}
      </ul>
      {choices.length === 0 && (
        <p class="faint" role="status">
          {query ? `No canned response for “${query}”.` : 'No canned responses yet.'}
        </p>
      )}
      {kind === '/' && (
        <button type="button" class="menu-item" tabindex={-1} onClick={manage}>
          <Icon name="settings" /> <span>Manage canned responses</span>
        </button>
      )}
    </div>
  )
}

function isSame(one: Trigger | undefined, other: Trigger | undefined) {
  return one?.kind === other?.kind && one?.query === other?.query && one?.start === other?.start
}

function choiceOfAgent({ _id, full_name, email }: { _id: string; full_name: string; email: string }): Choice {
  return { id: _id, text: full_name, title: email, insert: `@${full_name} `, agent: { _id, full_name } }
}

function triggerOf(text: string, caret: number, is_note: boolean, agents: readonly { full_name: string }[]) {
  const found = is_note ? (triggerAt(text, caret, '@') ?? triggerAt(text, caret, '/')) : triggerAt(text, caret, '/')
  // A name that is complete is followed by other words.
  const is_complete = found?.query.endsWith(' ') && agents.some(({ full_name }) => full_name === found.query.trimEnd())
  return is_complete ? undefined : found
}
