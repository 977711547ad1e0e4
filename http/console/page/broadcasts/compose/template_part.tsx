/** The number that sends, the template, and the name of the campaign. */

import type { TargetedKeyboardEvent } from 'preact'
import { useState } from 'preact/hooks'
import { templatesFor } from '../../crm/template.ts'
import type { Template } from '../../records/template.ts'
import { Field } from '../../ui/forms/field.tsx'
import { useElement } from '../../ui/hooks.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import type { Composition } from './composition.ts'
import { sentence, templateTrouble } from './words.ts'

/** Templates that are drawn; a search narrows them down. */
const MAX_SHOWN = 60

export function TemplatePart({ composition }: { composition: Composition }) {
  const { channel_id, campaign_name } = composition.form.value
  const channels = composition.channels.value
  const chosen = composition.channel.value
  return (
    <section class="card compose-part" id="compose-template" aria-labelledby="compose-template-title">
      <h2 id="compose-template-title" tabindex={-1}>
        <span class="compose-step">1</span> Number and template
      </h2>
      {channels.length === 0 ? (
        <p class="note">
          <Icon name="alert" /> This project has no number of WhatsApp’s Cloud API. An operator can connect one; other
          channels have no broadcasts.
        </p>
      ) : (
        <div class="compose-pair">
          <Field label="Number">
            {(attributes) => (
              <span class="select">
                <select
                  {...attributes}
                  value={channel_id ?? ''}
                  onChange={({ currentTarget }) => composition.choose(currentTarget.value)}
                >
                  {!channel_id && (
                    <option value="" disabled>
                      Choose a number
                    </option>
                  )}
                  {channels.map(({ _id, name, is_active }) => (
                    <option value={_id} key={_id}>
                      {is_active ? name : `${name} (not connected)`}
                    </option>
                  ))}
                </select>
                <Icon name="down" />
              </span>
            )}
          </Field>
          <Field label="Campaign name" hint="For you and your colleagues; optional.">
            {(attributes) => (
              <input
                {...attributes}
                type="text"
                maxlength={200}
                autocomplete="off"
                placeholder="Autumn sale"
                value={campaign_name}
                onInput={({ currentTarget }) => composition.change({ campaign_name: currentTarget.value })}
              />
            )}
          </Field>
        </div>
      )}
      {chosen && !chosen.is_active && (
        <p class="note bad">
          <Icon name="alert" /> {chosen.name} is not connected, so it cannot send.
        </p>
      )}
      {chosen && <Templates composition={composition} channel_id={chosen._id} />}
    </section>
  )
}

function Templates({ composition, channel_id }: { composition: Composition; channel_id: string }) {
  const [text, setText] = useState('')
  const [is_open, setOpen] = useState(false)
  const list = useElement<HTMLUListElement>()
  const known = composition.templates.value
  const chosen = composition.template.value
  const { template } = composition.form.value
  if (known?.fault) {
    const retry = () => composition.readTemplates(channel_id)
    return <Trouble title="The templates could not be loaded" error={known.fault} onRetry={retry} />
  }
  if (!known?.list)
    return (
      <p class="faint" role="status">
        Loading the templates…
      </p>
    )
  if (known.list.length === 0) {
    return (
      <p class="note">
        This number has no templates. Write one under Templates, or at WhatsApp; it can be sent once it is approved.
      </p>
    )
  }
  if (template && !is_open) {
    const trouble = chosen && templateTrouble(chosen.status)
    return (
      <>
        <div class="compose-chosen">
          <Icon name="template" />
          <p>
            <b>{template.name}</b>{' '}
            <span class="faint">
              {template.language}
              {chosen && ` · ${sentence(chosen.category)}`}
            </span>
          </p>
          <button type="button" class="button" onClick={() => setOpen(true)}>
            Change
          </button>
        </div>
        {!chosen && (
          <p class="note bad">
            <Icon name="alert" /> This template is no longer there. Choose another one.
          </p>
        )}
        {trouble && (
          <p class="note wary">
            <Icon name="alert" /> {trouble}
          </p>
        )}
      </>
    )
  }
  const found = templatesFor(known.list, text)
  const choose = (one: Template) => {
    composition.chooseTemplate(one)
    setOpen(false)
    setText('')
    requestAnimationFrame(() => {
      const button = document.querySelector('.compose-chosen button')
      if (button instanceof HTMLElement) button.focus()
    })
  }
  const keyed = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault()
      if (found[0]) choose(found[0])
    } else if (event.key === 'ArrowDown') {
      event.preventDefault()
      list.current.querySelector('button')?.focus()
    } else if (event.key === 'Escape' && template) setOpen(false)
  }
  return (
    <div class="compose-templates">
      <div class="search">
        <Icon name="search" />
        <input
          type="search"
          aria-label="Search templates"
          placeholder={`Search ${known.list.length === 1 ? 'the template' : `${known.list.length} templates`} by name, text or language`}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={keyed}
        />
      </div>
      <ul ref={list} aria-label="Templates" onKeyDown={moveFocus}>
        {found.slice(0, MAX_SHOWN).map((one) => (
          <Choice template={one} onChoose={() => choose(one)} key={one._id} />
        ))}
      </ul>
      <p class="faint" role="status">
        {found.length === 0
          ? `No template matches “${text}”.`
          : found.length > MAX_SHOWN
            ? `The first ${MAX_SHOWN} of ${found.length}; search for others.`
            : ''}
      </p>
    </div>
  )
}

function Choice({
  template: { name, language, status, category, components },
  onChoose,
}: {
  template: Template
  onChoose(): void
}) {
  const body = components.find(({ type }) => type.toUpperCase() === 'BODY')?.text ?? ''
  return (
    <li>
      <button type="button" class="compose-choice" onClick={onChoose}>
        <span class="compose-choice-head">
          <b>{name}</b> <span class="faint">{language}</span>
          {status !== 'APPROVED' && <span class="badge cancelled">{sentence(status)}</span>}
          <span class="faint compose-category">{sentence(category)}</span>
        </span>
        <span class="faint compose-choice-text">{body}</span>
      </button>
    </li>
  )
}

function moveFocus(event: TargetedKeyboardEvent<HTMLElement>) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
  buttons[at + step]?.focus()
}
