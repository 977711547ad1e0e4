/** The first message to a contact: a text where the channel allows it, otherwise a template. */

import { html } from 'htm/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { errorText, faultOf } from '../data/errors.js'
import { nameOfChannel } from '../inbox/channel.js'
import { Dialog } from '../ui/dialog.js'
import { Field, SelectField } from '../ui/field.js'
import { personName } from '../ui/format.js'
import { useAction } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { toast } from '../ui/toast.js'

/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../data/project.js').Project} Project */

/** Channels that take only templates outside the reply window. */
const NEEDS_TEMPLATE = ['whatsapp']
const MAX_TEMPLATES = 200

/**
 * @param {{ project: Project, contact: AnyRecord, onClose(): void }} props
 */
export function Conversation({ project, contact, onClose }) {
  const channels = (project.definitions.value?.channels ?? []).filter(
    ({ channel_type, is_active }) => is_active && channel_type === contact.channel_type,
  )
  const own = channels.find(({ _id }) => _id === contact.channel_id)
  const [channel_id, setChannel] = useState((own ?? channels[0])?._id ?? '')
  const is_open = contact.windows.some((/** @type {AnyRecord} */ one) => one.channel_id === channel_id && one.is_open)
  const has_template = NEEDS_TEMPLATE.includes(contact.channel_type)
  const [is_text, setText] = useState(is_open || !has_template)
  const [body, setBody] = useState('')
  const [template, setTemplate] = useState(/** @type {AnyRecord | null} */ (null))
  const [variables, setVariables] = useState(/** @type {Record<string, string>} */ ({}))
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
  /** @param {SubmitEvent} event */
  const submitted = (event) => {
    event.preventDefault()
    void run()
  }
  const changed = () => {
    key.current = crypto.randomUUID()
  }
  if (channels.length === 0) {
    return html`<${Dialog} title="Message ${contact.name ?? 'the contact'}" onClose=${onClose} has_close>
      <p>No active channel of the type ${nameOfChannel(contact.channel_type)} can write to this person.</p>
    <//>`
  }
  return html`<${Dialog} title="Message ${personName(contact)}" onClose=${onClose} has_close>
    <form class="people-form" onSubmit=${submitted}>
      ${
        channels.length > 1 &&
        html`<${SelectField}
          label="Channel"
          value=${channel_id}
          options=${channels.map(({ _id, name }) => ({ value: _id, text: name }))}
          onChange=${(/** @type {string} */ id) => {
            changed()
            setChannel(id)
            setTemplate(null)
          }}
        />`
      }
      ${
        has_template &&
        html`<${SelectField}
          label="Kind"
          value=${is_text ? 'text' : 'template'}
          options=${[
            { value: 'template', text: 'Template' },
            { value: 'text', text: is_open ? 'Text' : 'Text (only after the person has written)' },
          ]}
          onChange=${(/** @type {string} */ kind) => {
            changed()
            setText(kind === 'text')
          }}
        />`
      }
      ${
        is_text
          ? html`<${Field} label="Message">
              ${(/** @type {object} */ attributes) =>
                html`<textarea ...${attributes} required maxlength="4096" value=${body} onInput=${(
                  /** @type {{ target: HTMLTextAreaElement }} */ { target },
                ) => {
                  changed()
                  setBody(target.value)
                }}></textarea>`}
            <//>`
          : html`<${TemplateFields}
              templates=${templates}
              template=${template}
              variables=${variables}
              onTemplate=${(/** @type {AnyRecord | null} */ one) => {
                changed()
                setTemplate(one)
                setVariables({})
              }}
              onVariables=${(/** @type {Record<string, string>} */ all) => {
                changed()
                setVariables(all)
              }}
            />`
      }
      <div role="alert">
        ${(fault ?? templates_fault) && html`<p class="note bad"><${Icon} name="alert" /> ${errorText(/** @type {any} */ (fault ?? templates_fault))}</p>`}
      </div>
      <div class="actions">
        <button type="button" class="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="button primary" aria-busy=${String(is_busy)}><${Icon} name="send" /> Send</button>
      </div>
    </form>
  <//>`
}

/**
 * @param {{
 *   templates: AnyRecord[] | undefined
 *   template: AnyRecord | null
 *   variables: Record<string, string>
 *   onTemplate(template: AnyRecord | null): void
 *   onVariables(variables: Record<string, string>): void
 * }} props
 */
function TemplateFields({ templates, template, variables, onTemplate, onVariables }) {
  if (templates === undefined) return html`<p class="faint" role="status">Loading the templates…</p>`
  if (templates.length === 0) return html`<p class="faint">The channel has no approved template.</p>`
  /** @type {AnyRecord | undefined} */
  const words = template?.components.find((/** @type {AnyRecord} */ { type }) => String(type).toUpperCase() === 'BODY')
  /** @param {{ target: HTMLSelectElement }} event */
  const chosen = ({ target }) => onTemplate(templates.find(({ _id }) => _id === target.value) ?? null)
  return html`<${Field} label="Template">
      ${(/** @type {object} */ attributes) => html`<span class="select">
        <select ...${attributes} required value=${template?._id ?? ''} onChange=${chosen}>
          <option value="">Choose…</option>
          ${templates.map(({ _id, name, language }) => html`<option value=${_id} key=${_id}>${name} (${language})</option>`)}
        </select>
        <${Icon} name="down" />
      </span>`}
    <//>
    ${words?.text && html`<p class="people-template">${filled(words.text, variables)}</p>`}
    ${(template?.variables ?? []).map(
      (/** @type {string} */ name) => html`<${Field} label="Variable ${name}" key=${name}>
        ${(/** @type {object} */ attributes) => html`<input
          ...${attributes}
          type="text"
          required
          maxlength="4096"
          value=${variables[name] ?? ''}
          onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => onVariables({ ...variables, [name]: target.value })}
        />`}
      <//>`,
    )}`
}

/**
 * @param {Project} project
 * @param {string} channel_id
 * @param {boolean} is_wanted
 */
function useTemplates(project, channel_id, is_wanted) {
  const [templates, setTemplates] = useState(/** @type {AnyRecord[] | undefined} */ (undefined))
  const [fault, setFault] = useState(/** @type {import('../../page_types/fault.ts').Fault | null} */ (null))
  useEffect(() => {
    if (!is_wanted) return
    let is_current = true
    project.api.get('messages/templates', { channel_id, limit: MAX_TEMPLATES }).then(
      ({ data }) =>
        is_current && setTemplates(data.filter((/** @type {AnyRecord} */ { status }) => /approved/i.test(status))),
      (error) => is_current && setFault(faultOf(error)),
    )
    return () => {
      is_current = false
    }
  }, [project, channel_id, is_wanted])
  return { templates, fault }
}

/**
 * @param {string} text
 * @param {Record<string, string>} variables
 */
function filled(text, variables) {
  return text.replaceAll(/\{\{([^{}]{1,200})\}\}/g, (whole, name) => variables[name.trim()] || whole)
}

/**
 * The receiver as a request names it.
 *
 * @param {AnyRecord} contact
 * @param {string} to
 */
function addressOf({ channel_type, user_id, phone }, to) {
  if (channel_type !== 'whatsapp') return user_id
  return phone ?? `+${to.replace(/^\+/, '')}`
}
