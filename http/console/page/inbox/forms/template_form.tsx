/** The choice of a template, its variables, and the message as the person will see it. */

import { useEffect, useState } from 'preact/hooks'
import {
  fileOfVariable,
  firstValues,
  nameOfVariable,
  type Piece,
  shownTemplate,
  type Template,
  templatesFor,
  textIn,
} from '../../crm/template.ts'
import { faultOf } from '../../data/errors.ts'
import type { Fault } from '../../records/fault.ts'
import { useElement } from '../../ui/hooks.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Empty } from '../../ui/placeholders/empty.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import { FormDialog, type FormProps } from './form_dialog.tsx'
import { FileInput, TextInput } from './inputs.tsx'

const MAX_VALUE = 4096
const PAGE = 200
const MAX_PAGES = 5
const ACCEPTED: Partial<Record<string, string>> = { image: 'image/jpeg,image/png', video: 'video/mp4,video/3gpp' }

export function TemplateForm(props: FormProps) {
  const { templates, fault, read } = useTemplates(props)
  const [chosen, setChosen] = useState<Template | null>(null)
  const [values, setValues] = useState<Record<string, string>>({})
  const [names, setNames] = useState<Record<string, string>>({})
  const choose = (template: Template) => {
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
  const preview = chosen ? <Shown template={chosen} values={filled} /> : null
  const set = (name: string, value: string) => setValues({ ...values, [name]: value })
  return (
    <FormDialog {...props} title="Send a template" message={message} is_complete={is_complete} preview={preview}>
      {(is_tried) =>
        chosen ? (
          <>
            <div class="template-chosen">
              <p>
                <b>{chosen.name}</b>{' '}
                <span class="faint">
                  {chosen.language} · {chosen.category.toLowerCase()}
                </span>
              </p>
              <button type="button" class="link" onClick={() => setChosen(null)}>
                Choose another
              </button>
            </div>
            {chosen.status !== 'APPROVED' && (
              <p class="note">
                <Icon name="alert" /> This template is {chosen.status.toLowerCase()} at WhatsApp, and may be refused.
              </p>
            )}
            {variables.length === 0 && <p class="faint">It has no variables.</p>}
            {variables.map((name) => {
              const kind = fileOfVariable(name)
              const error = is_tried && !filled[name] ? 'Fill this in.' : undefined
              const file = names[name] === undefined ? null : { media_id: values[name] ?? '', name: names[name] }
              return kind ? (
                <FileInput
                  label={nameOfVariable(name)}
                  accept={ACCEPTED[kind] ?? ''}
                  compose={props.compose}
                  api={props.project.api}
                  value={file}
                  error={error}
                  onChange={(value) => {
                    set(name, value?.media_id ?? '')
                    setNames(value ? { ...names, [name]: value.name } : {})
                  }}
                  key={name}
                />
              ) : (
                <TextInput
                  label={nameOfVariable(name)}
                  value={values[name] ?? ''}
                  most={MAX_VALUE}
                  error={error}
                  onChange={(value) => set(name, value)}
                  key={name}
                />
              )
            })}
          </>
        ) : (
          <Choice templates={templates} fault={fault} onRetry={read} onChoose={choose} />
        )
      }
    </FormDialog>
  )
}

function Choice({
  templates,
  fault,
  onRetry,
  onChoose,
}: {
  templates: Template[] | null
  fault: Fault | null
  onRetry(): void
  onChoose(template: Template): void
}) {
  const [query, setQuery] = useState('')
  const search = useElement<HTMLDivElement>()
  const is_there = templates !== null && templates.length > 0
  // The dialog was opened before there was a field.
  useEffect(() => {
    if (is_there) search.current?.querySelector('input')?.focus()
  }, [is_there])
  if (fault) return <Trouble title="The templates could not be loaded" error={fault} onRetry={onRetry} />
  if (!templates) return <Waiting label="Loading the templates" rows={3} />
  if (templates.length === 0)
    return (
      <Empty
        icon="template"
        title="No templates yet"
        text="Templates are written and approved at WhatsApp; Parley copies them."
      />
    )
  const found = templatesFor(templates, query)
  return (
    <>
      <div ref={search}>
        <TextInput
          label="Search the templates"
          type="search"
          value={query}
          onChange={setQuery}
          placeholder="Name or text"
        />
      </div>
      <ul class="template-list" aria-label="Templates">
        {found.map((template) => (
          <li key={template._id}>
            <button type="button" onClick={() => onChoose(template)}>
              <span class="template-name">
                <b>{template.name}</b> <span class="faint">{template.language}</span>
                {template.status !== 'APPROVED' && <span class="badge cancelled">{template.status.toLowerCase()}</span>}
              </span>
              <span class="template-text faint">{textIn(shownTemplate(template.components, {}).body)}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p class="faint" role="status">
          No template has these words.
        </p>
      )}
    </>
  )
}

function Shown({ template, values }: { template: Template; values: Record<string, string> }) {
  const { header, file, body, footer, buttons, cards } = shownTemplate(template.components, values)
  return (
    <>
      {file && (
        <p class="template-file faint">
          <Icon
            name={file === 'location' ? 'pin' : file === 'document' ? 'file' : file === 'video' ? 'video' : 'image'}
          />{' '}
          {file}
        </p>
      )}
      {header.length > 0 && (
        <p>
          <b>
            <Pieces pieces={header} />
          </b>
        </p>
      )}
      <p class="inbox-text">
        <Pieces pieces={body} />
      </p>
      {footer && <p class="faint">{footer}</p>} {cards > 0 && <p class="faint">{cards} cards</p>}
      {buttons.length > 0 && (
        <ul class="inbox-choices">
          {buttons.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </>
  )
}

function Pieces({ pieces }: { pieces: Piece[] }) {
  return pieces.map(({ text, is_variable, is_missing }) =>
    is_variable ? <mark class={is_missing ? 'is-missing' : ''}>{text}</mark> : text,
  )
}

function useTemplates({ project, compose }: FormProps) {
  const [templates, setTemplates] = useState<Template[] | null>(null)
  const [fault, setFault] = useState<Fault | null>(null)
  const read = async () => {
    setFault(null)
    const channel_id = compose.channel.peek().channel?._id
    try {
      const all: Template[] = []
      let cursor: string | null | undefined
      for (let page = 0; page < MAX_PAGES && cursor !== null; page++) {
        const answer = await project.api.get('messages/templates', { channel_id, limit: PAGE, cursor })
        all.push(...answer.data)
        cursor = answer.next_cursor
      }
      // Those that WhatsApp takes come first.
      const rank = ({ status }: Template) => (status === 'APPROVED' ? 0 : 1)
      setTemplates(all.sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name)))
    } catch (error) {
      setFault(faultOf(error))
    }
  }
  useEffect(() => void read(), [])
  return { templates, fault, read }
}
