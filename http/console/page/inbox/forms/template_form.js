/** The choice of a template, its variables, and the message as the person will see it. */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { faultOf } from '../../data/errors.js'
import { Empty } from '../../ui/empty.js'
import { useElement } from '../../ui/hooks.js'
import { Icon } from '../../ui/icons.js'
import { Trouble } from '../../ui/trouble.js'
import { Waiting } from '../../ui/waiting.js'
import {
  fileOfVariable,
  firstValues,
  nameOfVariable,
  shownTemplate,
  templatesFor,
  textIn,
} from '../composer/templates.js'
import { FormDialog } from './form_dialog.js'
import { FileInput, TextInput } from './inputs.js'

/** @typedef {import('../composer/templates.js').Template} Template */
/** @typedef {import('../composer/templates.js').Piece} Piece */

const MAX_VALUE = 4096
const PAGE = 200
const MAX_PAGES = 5
/** @type {Partial<Record<string, string>>} */
const ACCEPTED = { image: 'image/jpeg,image/png', video: 'video/mp4,video/3gpp' }

/**
 * @param {import('./form_dialog.js').FormProps} props
 */
export function TemplateForm(props) {
  const { templates, fault, read } = useTemplates(props)
  const [chosen, setChosen] = useState(/** @type {Template | null} */ (null))
  const [values, setValues] = useState(/** @type {Record<string, string>} */ ({}))
  const [names, setNames] = useState(/** @type {Record<string, string>} */ ({}))
  /** @param {Template} template */
  const choose = (template) => {
    setChosen(template)
    setNames({})
    const body = template.components.find(({ type }) => String(type).toUpperCase() === 'BODY')?.text
    setValues(firstValues(template.variables, props.compose.thread.contact.peek(), body))
  }
  const variables = chosen?.variables ?? []
  const filled = Object.fromEntries(variables.map((name) => [name, (values[name] ?? '').trim()]))
  const message = {
    type: 'template',
    name: chosen?.name,
    language: chosen?.language,
    ...(variables.length > 0 && { variables: filled }),
  }
  const is_complete =
    chosen !== null && variables.every((name) => filled[name] && [...(filled[name] ?? '')].length <= MAX_VALUE)
  const preview = chosen ? html`<${Shown} template=${chosen} values=${filled} />` : null
  /** @param {string} name @param {string} value */
  const set = (name, value) => setValues({ ...values, [name]: value })
  return html`<${FormDialog} ...${props} title="Send a template" message=${message} is_complete=${is_complete} preview=${preview}>
    ${(/** @type {boolean} */ is_tried) =>
      chosen
        ? html`<div class="template-chosen">
              <p><b>${chosen.name}</b> <span class="faint">${chosen.language} · ${chosen.category.toLowerCase()}</span></p>
              <button type="button" class="link" onClick=${() => setChosen(null)}>Choose another</button>
            </div>
            ${
              chosen.status !== 'APPROVED' &&
              html`<p class="note"><${Icon} name="alert" /> This template is ${chosen.status.toLowerCase()} at WhatsApp, and may be refused.</p>`
            }
            ${variables.length === 0 && html`<p class="faint">It has no variables.</p>`}
            ${variables.map((name) => {
              const kind = fileOfVariable(name)
              const error = is_tried && !filled[name] ? 'Fill this in.' : undefined
              const file = names[name] === undefined ? null : { media_id: values[name], name: names[name] }
              return kind
                ? html`<${FileInput}
                    label=${nameOfVariable(name)}
                    accept=${ACCEPTED[kind] ?? ''}
                    compose=${props.compose}
                    api=${props.project.api}
                    value=${file}
                    error=${error}
                    onChange=${(/** @type {{ media_id: string, name: string } | null} */ value) => {
                      set(name, value?.media_id ?? '')
                      setNames(value ? { ...names, [name]: value.name } : {})
                    }}
                    key=${name}
                  />`
                : html`<${TextInput} label=${nameOfVariable(name)} value=${values[name] ?? ''} most=${MAX_VALUE} error=${error} onChange=${(/** @type {string} */ value) => set(name, value)} key=${name} />`
            })}`
        : html`<${Choice} templates=${templates} fault=${fault} onRetry=${read} onChoose=${choose} />`}
  <//>`
}

/**
 * @param {{ templates: Template[] | null, fault: import('../../../page_types/fault.ts').Fault | null, onRetry(): void, onChoose(template: Template): void }} props
 */
function Choice({ templates, fault, onRetry, onChoose }) {
  const [query, setQuery] = useState('')
  const search = /** @type {import('preact').RefObject<HTMLElement>} */ (useElement())
  const is_there = templates !== null && templates.length > 0
  // The dialog was opened before there was a field.
  useEffect(() => {
    if (is_there) search.current?.querySelector('input')?.focus()
  }, [is_there])
  if (fault) return html`<${Trouble} title="The templates could not be loaded" error=${fault} onRetry=${onRetry} />`
  if (!templates) return html`<${Waiting} label="Loading the templates" rows=${3} />`
  if (templates.length === 0)
    return html`<${Empty} icon="template" title="No templates yet" text="Templates are written and approved at WhatsApp; Parley copies them." />`
  const found = templatesFor(templates, query)
  return html`<div ref=${search}><${TextInput} label="Search the templates" type="search" value=${query} onChange=${setQuery} placeholder="Name or text" /></div>
    <ul class="template-list" aria-label="Templates">
      ${found.map(
        (template) => html`<li key=${template._id}>
          <button type="button" onClick=${() => onChoose(template)}>
            <span class="template-name"><b>${template.name}</b> <span class="faint">${template.language}</span>
              ${template.status !== 'APPROVED' && html`<span class="badge cancelled">${template.status.toLowerCase()}</span>`}</span>
            <span class="template-text faint">${textIn(shownTemplate(template.components, {}).body)}</span>
          </button>
        </li>`,
      )}
    </ul>
    ${found.length === 0 && html`<p class="faint" role="status">No template has these words.</p>`}`
}

/**
 * @param {{ template: Template, values: Record<string, string> }} props
 */
function Shown({ template, values }) {
  const { header, file, body, footer, buttons, cards } = shownTemplate(template.components, values)
  return html`${file && html`<p class="template-file faint"><${Icon} name=${file === 'location' ? 'pin' : file === 'document' ? 'file' : file === 'video' ? 'video' : 'image'} /> ${file}</p>`}
    ${header.length > 0 && html`<p><b><${Pieces} pieces=${header} /></b></p>`}
    <p class="inbox-text"><${Pieces} pieces=${body} /></p>
    ${footer && html`<p class="faint">${footer}</p>`} ${cards > 0 && html`<p class="faint">${cards} cards</p>`}
    ${buttons.length > 0 && html`<ul class="inbox-choices">${buttons.map((text) => html`<li key=${text}>${text}</li>`)}</ul>`}`
}

/**
 * @param {{ pieces: Piece[] }} props
 */
function Pieces({ pieces }) {
  return pieces.map(({ text, is_variable, is_missing }) =>
    is_variable ? html`<mark class=${is_missing ? 'is-missing' : ''}>${text}</mark>` : text,
  )
}

/**
 * @param {import('./form_dialog.js').FormProps} props
 */
function useTemplates({ project, compose }) {
  const [templates, setTemplates] = useState(/** @type {Template[] | null} */ (null))
  const [fault, setFault] = useState(/** @type {import('../../../page_types/fault.ts').Fault | null} */ (null))
  const read = async () => {
    setFault(null)
    const channel_id = compose.channel.peek().channel?._id
    try {
      /** @type {Template[]} */
      const all = []
      let cursor
      for (let page = 0; page < MAX_PAGES && cursor !== null; page++) {
        const answer = await project.api.get('messages/templates', { channel_id, limit: PAGE, cursor })
        all.push(...answer.data)
        cursor = answer.next_cursor
      }
      // Those that WhatsApp takes come first.
      const rank = (/** @type {Template} */ { status }) => (status === 'APPROVED' ? 0 : 1)
      setTemplates(all.sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name)))
    } catch (error) {
      setFault(faultOf(error))
    }
  }
  useEffect(() => void read(), [])
  return { templates, fault, read }
}
