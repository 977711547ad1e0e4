/**
 * Suggestions of a field while an agent types: canned responses after `/`, colleagues after `@` in notes. The focus stays
 * in the field; arrow keys move, Enter and Tab take, Escape closes.
 */
import { html } from 'htm/preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Avatar } from '../../ui/avatar.js'
import { Icon } from '../../ui/icons.js'
import { CannedResponses } from './canned.js'
import { openCanned } from './canned_place.js'
import { fill, valuesOf } from './fill.js'
import { agentsFor, insertAt, triggerAt } from './triggers.js'

/** @typedef {import('./triggers.js').Trigger} Trigger */
/**
 * @typedef {{ id: string, text: string, insert: string, title?: string | null, preview?: string, agent?: { _id: string, full_name: string } }} Choice
 */

const MOST_AGENTS = 8

/**
 * @param {import('./mod.js').ComposeProps & { field: import('preact').RefObject<HTMLTextAreaElement> }} props
 */
export function useSuggestions({ project, thread, compose, field }) {
  const list_id = useId()
  const [trigger, setTrigger] = useState(/** @type {Trigger | undefined} */ (undefined))
  const [choices, setChoices] = useState(/** @type {Choice[]} */ ([]))
  const [at, setAt] = useState(0)
  /** The place of a trigger that was closed by Escape. */
  const closed = useRef(-1)
  const is_note = compose.mode.value === 'note'
  const canned = project.part('canned_responses', () => new CannedResponses(project))
  const known = canned.list.value
  const agents = project.definitions.value?.users.filter(({ is_agent }) => is_agent) ?? []

  const look = () => {
    const { current } = field
    if (!current || document.activeElement !== current || current.selectionStart !== current.selectionEnd)
      return close()
    const found = triggerOf(current.value, current.selectionStart, is_note, agents)
    if (found === undefined || found.start === closed.current) {
      if (!found) closed.current = -1
      return close()
    }
    if (found.query !== trigger?.query || found.start !== trigger.start) setTrigger(found)
  }
  const close = () => setTrigger(undefined)

  useEffect(() => {
    if (!trigger) return setChoices([])
    let is_current = true
    const found =
      trigger.kind === '@'
        ? Promise.resolve(agentsFor(agents, trigger.query).slice(0, MOST_AGENTS).map(choiceOfAgent))
        : canned.find(trigger.query).then((list) => {
            const values = valuesOf({ contact: thread.contact.peek(), agent: project.user, project })
            return list.map(({ _id, shortcut, title, content }) => {
              const insert = fill(content, values)
              return { id: _id, text: `/${shortcut}`, title, preview: insert, insert }
            })
          })
    found.then(
      (list) => {
        if (!is_current) return
        setChoices(list)
        setAt(0)
      },
      () => {},
    )
    return () => {
      is_current = false
    }
  }, [trigger?.kind, trigger?.query, trigger?.start, known])

  /** @param {Choice} choice */
  const take = (choice) => {
    if (!trigger) return
    const { text, caret } = insertAt(field.current.value, trigger, choice.insert)
    compose.write(text)
    close()
    // The caret goes behind the inserted text once the field has it.
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(caret, caret)
    })
  }
  /** Writes the character that opens the list. @param {'/' | '@'} kind */
  const begin = (kind) => {
    const { current } = field
    const { selectionStart: caret, selectionEnd: end, value } = current
    const space = caret > 0 && !/\s/.test(value[caret - 1] ?? '') ? ' ' : ''
    const inserted = insertAt(value, { start: caret, end }, `${space}${kind}`)
    compose.write(inserted.text)
    requestAnimationFrame(() => {
      current.focus()
      current.setSelectionRange(inserted.caret, inserted.caret)
      look()
    })
  }
  const is_open = trigger !== undefined && (choices.length > 0 || trigger.kind === '/')
  /** Returns true when the key was for the list. @param {KeyboardEvent} event */
  const press = (event) => {
    if (!is_open || !trigger) return false
    const { key, ctrlKey, metaKey } = event
    const choice = choices[at]
    if (key === 'Escape') {
      closed.current = trigger.start
      close()
    } else if (choices.length > 0 && (key === 'ArrowDown' || key === 'ArrowUp'))
      setAt((at + (key === 'ArrowDown' ? 1 : choices.length - 1)) % choices.length)
    else if (choice && (key === 'Enter' || key === 'Tab') && !ctrlKey && !metaKey) take(choice)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  const attributes = {
    'aria-autocomplete': 'list',
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

/**
 * @param {ReturnType<typeof useSuggestions>} props
 */
export function Suggestions({ list_id, is_open, kind, query, choices, at, take, project }) {
  useEffect(() => {
    document.getElementById(`${list_id}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [at])
  if (!is_open) return null
  /** The field keeps the focus. @param {Event} event */
  const keep = (event) => event.preventDefault()
  return html`<div class="composer-suggestions" onMouseDown=${keep}>
    <ul id=${list_id} role="listbox" aria-label=${kind === '@' ? 'Colleagues' : 'Canned responses'}>
      ${choices.map(
        (choice, place) => html`<li
          id="${list_id}-${place}"
          role="option"
          aria-selected=${String(place === at)}
          key=${choice.id}
          onClick=${() => take(choice)}
        >
          ${choice.agent && html`<${Avatar} name=${choice.agent.full_name} id=${choice.agent._id} size="small" />`}
          <b>${choice.text}</b> ${choice.title && html`<span>${choice.title}</span>`}
          ${choice.preview && html`<span class="faint composer-preview">${choice.preview}</span>`}
        </li>`,
      )}
    </ul>
    ${choices.length === 0 && html`<p class="faint" role="status">No canned response ${query ? `for “${query}”` : 'yet'}.</p>`}
    ${
      kind === '/' &&
      html`<button type="button" class="menu-item" tabindex="-1" onClick=${() => openCanned(project)}>
        <${Icon} name="settings" /> <span>Manage canned responses</span>
      </button>`
    }
  </div>`
}

/** @param {{ _id: string, full_name: string, email: string }} agent @returns {Choice} */
function choiceOfAgent({ _id, full_name, email }) {
  return { id: _id, text: full_name, title: email, insert: `@${full_name} `, agent: { _id, full_name } }
}

/**
 * @param {string} text
 * @param {number} caret
 * @param {boolean} is_note
 * @param {readonly { full_name: string }[]} agents
 */
function triggerOf(text, caret, is_note, agents) {
  const found = is_note ? (triggerAt(text, caret, '@') ?? triggerAt(text, caret, '/')) : triggerAt(text, caret, '/')
  // A name that is complete is followed by other words.
  const is_complete = found?.query.endsWith(' ') && agents.some(({ full_name }) => full_name === found.query.trimEnd())
  return is_complete ? undefined : found
}
