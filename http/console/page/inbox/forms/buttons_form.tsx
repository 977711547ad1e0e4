/** The form of a message with buttons. */
import { useState } from 'preact/hooks'
import { SelectField } from '../../ui/forms/field.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import { FormDialog, type FormProps } from './form_dialog.tsx'
import { FileInput, omitEmpty, problemOf, TextInput } from './inputs.tsx'

const BODY = 1024
const SHORT = 60
const TITLE = 20
const MAX_BUTTONS = 3
const HEADERS = [
  { value: 'none', text: 'None' },
  { value: 'text', text: 'Text' },
  { value: 'image', text: 'Picture' },
  { value: 'video', text: 'Video' },
  { value: 'document', text: 'Document' },
]
const ACCEPTED: Partial<Record<string, string>> = { image: 'image/*', video: 'video/*' }

export function ButtonsForm(props: FormProps) {
  const [body_text, setBody] = useState('')
  const [footer_text, setFooter] = useState('')
  const [kind, setKind] = useState('none')
  const [header_text, setHeaderText] = useState('')
  const [file, setFile] = useState<{ media_id: string; name: string } | null>(null)
  const [titles, setTitles] = useState(['', ''])
  const filled = titles.map((title) => title.trim()).filter(Boolean)
  const is_repeated = new Set(filled).size < filled.length
  const header =
    kind === 'none'
      ? undefined
      : kind === 'text'
        ? { type: 'text', text: header_text.trim() }
        : { type: kind, media_id: file?.media_id }
  const message = {
    type: 'buttons',
    ...(header && { header }),
    body_text,
    buttons: filled.map((title, at) => ({ id: idOf(title, at), title })),
    footer_text: omitEmpty(footer_text),
  }
  const problems = [
    problemOf(body_text, BODY),
    filled.length === 0 || is_repeated || filled.some((title) => [...title].length > TITLE),
    [...footer_text].length > SHORT,
    kind === 'text' && problemOf(header_text, SHORT),
    !['none', 'text'].includes(kind) && file === null,
  ]
  const setTitle = (at: number, value: string) =>
    setTitles(titles.map((title, place) => (place === at ? value : title)))
  return (
    <FormDialog {...props} title="Buttons" message={message} is_complete={!problems.some(Boolean)}>
      {(is_tried) => (
        <>
          <TextInput
            label="Text"
            value={body_text}
            onChange={setBody}
            most={BODY}
            lines={3}
            error={is_tried ? problemOf(body_text, BODY) : undefined}
          />
          {titles.map((title, at) => (
            <div class="form-row" key={at}>
              <TextInput
                label={`Button ${at + 1}`}
                value={title}
                onChange={(value) => setTitle(at, value)}
                most={TITLE}
                error={
                  is_tried && at === 0 && filled.length === 0
                    ? 'Name at least one button.'
                    : is_tried && is_repeated && filled.indexOf(title.trim()) !== at && title.trim() !== ''
                      ? 'Each button needs a name of its own.'
                      : undefined
                }
              />
              {titles.length > 1 && (
                <button
                  type="button"
                  class="quiet icon-button"
                  aria-label={`Remove button ${at + 1}`}
                  onClick={() => setTitles(titles.filter((_, place) => place !== at))}
                >
                  <Icon name="close" />
                </button>
              )}
            </div>
          ))}
          {titles.length < MAX_BUTTONS && (
            <button type="button" class="link" onClick={() => setTitles([...titles, ''])}>
              Add a button
            </button>
          )}
          <SelectField
            label="Header"
            value={kind}
            options={HEADERS}
            onChange={(value) => {
              setKind(value)
              setFile(null)
            }}
          />
          {kind === 'text' && (
            <TextInput
              label="Header text"
              value={header_text}
              onChange={setHeaderText}
              most={SHORT}
              error={is_tried ? problemOf(header_text, SHORT) : undefined}
            />
          )}
          {!['none', 'text'].includes(kind) && (
            <FileInput
              label="File"
              accept={ACCEPTED[kind] ?? ''}
              compose={props.compose}
              api={props.project.api}
              value={file}
              onChange={setFile}
              error={is_tried && !file ? 'Choose a file.' : undefined}
            />
          )}
          <TextInput label="Footer" value={footer_text} onChange={setFooter} most={SHORT} />
        </>
      )}
    </FormDialog>
  )
}

/** The id that comes back with the answer: readable, and unique within the message. */
export function idOf(title: string, at: number) {
  const words = title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
  return `${words || 'choice'}_${at + 1}`
}
