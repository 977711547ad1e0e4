/** The form of a list to choose from. */
import { useState } from 'preact/hooks'
import { Icon } from '../../ui/pictures/icons.tsx'
import { idOf } from './buttons_form.tsx'
import { FormDialog, type FormProps } from './form_dialog.tsx'
import { omitEmpty, problemOf, TextInput } from './inputs.tsx'

type Section = { title: string; rows: { title: string; description: string }[] }

const BODY = 1024
const BUTTON = 20
const TITLE = 24
const DESCRIPTION = 72
const FOOTER = 60
const MAX_ROWS = 10
const EMPTY = { title: '', description: '' }

export function ListForm(props: FormProps) {
  const [body_text, setBody] = useState('')
  const [button_text, setButton] = useState('')
  const [footer_text, setFooter] = useState('')
  const [sections, setSections] = useState<Section[]>([{ title: '', rows: [EMPTY, EMPTY] }])
  let number = 0
  const filled = sections
    .map(({ title, rows }) => ({
      ...(title.trim() && { title: title.trim() }),
      rows: rows
        .filter((row) => row.title.trim() !== '')
        .map((row) => ({
          id: idOf(row.title, number++),
          title: row.title.trim(),
          description: omitEmpty(row.description),
        })),
    }))
    .filter(({ rows }) => rows.length > 0)
  const message = {
    type: 'list',
    body_text,
    button_text: button_text.trim(),
    sections: filled,
    footer_text: omitEmpty(footer_text),
  }
  const is_titled = filled.length < 2 || filled.every(({ title }) => title !== undefined)
  const is_short = sections.every(
    ({ title, rows }) =>
      [...title].length <= TITLE &&
      rows.every((row) => [...row.title].length <= TITLE && [...row.description].length <= DESCRIPTION),
  )
  const count = sections.flatMap(({ rows }) => rows).length
  const problems = [
    problemOf(body_text, BODY),
    problemOf(button_text, BUTTON),
    number === 0,
    number > MAX_ROWS,
    !is_titled,
    !is_short,
    [...footer_text].length > FOOTER,
  ]
  const change = (at: number, change: Partial<Section>) =>
    setSections(sections.map((section, place) => (place === at ? { ...section, ...change } : section)))
  return (
    <FormDialog {...props} title="List" message={message} is_complete={!problems.some(Boolean)}>
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
          <TextInput
            label="Button that opens the list"
            value={button_text}
            onChange={setButton}
            most={BUTTON}
            placeholder="Choose a day"
            error={is_tried ? problemOf(button_text, BUTTON) : undefined}
          />
          {sections.map((section, at) => (
            <fieldset key={at}>
              <legend>{sections.length > 1 ? `Section ${at + 1}` : 'Choices'}</legend>
              {sections.length > 1 && (
                <TextInput
                  label="Title of the section"
                  value={section.title}
                  most={TITLE}
                  onChange={(title) => change(at, { title })}
                  error={
                    is_tried && section.title.trim() === '' ? 'Sections need titles when there are several.' : undefined
                  }
                />
              )}
              {section.rows.map((row, place) => {
                const set = (fields: Partial<Section['rows'][0]>) =>
                  change(at, {
                    rows: section.rows.map((one, other) => (other === place ? { ...one, ...fields } : one)),
                  })
                return (
                  <div class="form-row" key={place}>
                    <TextInput
                      label={`Choice ${place + 1}`}
                      value={row.title}
                      most={TITLE}
                      onChange={(title) => set({ title })}
                      error={
                        is_tried && number === 0 && at === 0 && place === 0 ? 'Name at least one choice.' : undefined
                      }
                    />
                    <TextInput
                      label="Description"
                      value={row.description}
                      most={DESCRIPTION}
                      onChange={(description) => set({ description })}
                    />
                    <button
                      type="button"
                      class="quiet icon-button"
                      aria-label={`Remove choice ${place + 1}`}
                      onClick={() => change(at, { rows: section.rows.filter((_, other) => other !== place) })}
                    >
                      <Icon name="close" />
                    </button>
                  </div>
                )
              })}
              {count < MAX_ROWS && (
                <button type="button" class="link" onClick={() => change(at, { rows: [...section.rows, EMPTY] })}>
                  Add a choice
                </button>
              )}
              {sections.length > 1 && (
                <button
                  type="button"
                  class="link"
                  onClick={() => setSections(sections.filter((_, place) => place !== at))}
                >
                  Remove the section
                </button>
              )}
            </fieldset>
          ))}
          {count < MAX_ROWS && (
            <button type="button" class="link" onClick={() => setSections([...sections, { title: '', rows: [EMPTY] }])}>
              Add a section
            </button>
          )}
          <TextInput label="Footer" value={footer_text} onChange={setFooter} most={FOOTER} />
        </>
      )}
    </FormDialog>
  )
}
