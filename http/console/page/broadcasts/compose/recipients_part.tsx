/** The recipients: a file or a pasted text, the column of the phones, and the rows with mistakes. */

import { useState } from 'preact/hooks'
import { number } from '../../ui/format/format.ts'
import { Field, SelectField, Switch } from '../../ui/forms/field.tsx'
import { useElement } from '../../ui/hooks.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { Composition } from './composition.ts'
import { plainPhone } from './sheet.ts'

const ROWS_SHOWN = 4
const COLUMNS_SHOWN = 6
/** A longer text is used as soon as it is pasted. */
const USED_AT_ONCE = 4_000
/** Faults that are drawn at once. */
const FAULTS_SHOWN = 100

export function RecipientsPart({ composition }: { composition: Composition }) {
  const { rows } = composition.form.value
  const reading = composition.reading.value
  const fault = composition.file_fault.value
  return (
    <section class="card compose-part" id="compose-recipients" aria-labelledby="compose-recipients-title">
      <h2 id="compose-recipients-title" tabindex={-1}>
        <span class="compose-step">2</span> Recipients
      </h2>
      {rows.length === 0 ? <Source composition={composition} /> : <Given composition={composition} />}
      <div role="alert">
        {fault && (
          <p class="note bad">
            <Icon name="alert" /> {fault}
          </p>
        )}
      </div>
      <p class="faint" role="status">
        {reading ? `Reading ${reading}…` : ''}
      </p>
    </section>
  )
}

function Source({ composition }: { composition: Composition }) {
  const [is_pasting, setPasting] = useState(false)
  const [is_over, setOver] = useState(false)
  const [text, setText] = useState('')
  const input = useElement<HTMLInputElement>()
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer?.files[0]
    if (file) void composition.readFile(file)
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  /** Browsers take seconds to put thousands of lines into a field. */
  const paste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData?.getData('text/plain') ?? ''
    if (text !== '' || pasted.length < USED_AT_ONCE) return
    event.preventDefault()
    void composition.readPasted(pasted)
  }
  if (is_pasting) {
    return (
      <div class="compose-paste">
        <Field
          label="One person a line"
          hint="Cells separated by commas, semicolons or tabs, as copied from a spreadsheet. The first line may name the columns."
        >
          {(attributes) => (
            <textarea
              {...attributes}
              rows={7}
              spellcheck={false}
              placeholder={'phone,name\n+5215512345678,Ana'}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
              onPaste={paste}
            ></textarea>
          )}
        </Field>
        <div class="actions">
          <button
            type="button"
            class="button primary"
            disabled={text.trim() === ''}
            onClick={() => composition.readPasted(text)}
          >
            Use these
          </button>
          <button type="button" class="button" onClick={() => setPasting(false)}>
            Choose a file instead
          </button>
        </div>
      </div>
    )
  }
  return (
    <div
      class={is_over ? 'compose-drop over' : 'compose-drop'}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="upload" />
      <p>
        <b>Drop a CSV file here</b>
      </p>
      <p class="faint">
        Up to 5,000 people: a column with phone numbers such as +5215512345678, and one for each variable.
      </p>
      <div class="actions">
        <button type="button" class="button primary" onClick={() => input.current.click()}>
          Choose a file
        </button>
        <button type="button" class="button" onClick={() => setPasting(true)}>
          Paste instead
        </button>
      </div>
      <input
        ref={input}
        class="aside"
        type="file"
        accept=".csv,.txt,.tsv,text/csv,text/plain"
        aria-label="CSV file"
        tabindex={-1}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          if (file) void composition.readFile(file)
          currentTarget.value = ''
        }}
      />
    </div>
  )
}

function Given({ composition }: { composition: Composition }) {
  const { file_name, has_head, phone_at } = composition.form.value
  const columns = composition.columns.value
  const { people, total } = composition.sheet.value
  return (
    <>
      <div class="compose-chosen">
        <Icon name="file" />
        <p>
          <b>{file_name ?? 'Pasted text'}</b>
          <span class="faint">
            {number(total)} {total === 1 ? 'row' : 'rows'} · {number(people.length)} can get the message
          </span>
        </p>
        <button type="button" class="button" onClick={() => composition.change({ rows: [], file_name: null })}>
          Replace
        </button>
      </div>
      <div class="compose-pair">
        <SelectField
          label="Phone numbers are in"
          value={String(phone_at)}
          options={columns.map((name, at) => ({ value: String(at), text: name }))}
          onChange={(value) => composition.change({ phone_at: Number(value) })}
        />
        <Switch
          label="The first row names the columns"
          is_on={has_head}
          onChange={(is_on) => composition.change({ has_head: is_on })}
        />
      </div>
      <Sample composition={composition} />
      <Faults composition={composition} />
    </>
  )
}

function Sample({ composition }: { composition: Composition }) {
  const { rows, has_head, phone_at } = composition.form.value
  const columns = composition.columns.value
  const COLUMNS = [...columns.keys()].slice(0, COLUMNS_SHOWN)
  if (!COLUMNS.includes(phone_at)) COLUMNS[0] = phone_at
  const more = columns.length - COLUMNS.length
  return (
    <div class="compose-sample" tabindex={0} role="group" aria-label="The first rows">
      <table>
        <thead>
          <tr>
            <th scope="col">Line</th>
            {COLUMNS.map((at) => (
              <th scope="col" key={at}>
                {columns[at]}
              </th>
            ))}
            {more > 0 && <th scope="col">and {more} more</th>}
          </tr>
        </thead>
        <tbody>
          {(has_head ? rows.slice(1) : rows).slice(0, ROWS_SHOWN).map(({ line, cells }) => (
            <tr key={line}>
              <td class="faint">{line}</td>
              {COLUMNS.map((at) => (
                <td class={at === phone_at ? 'compose-phone' : ''} key={at}>
                  {at === phone_at ? plainPhone(cells[at] ?? '') : cells[at]}
                </td>
              ))}
              {more > 0 && <td class="faint">…</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Faults({ composition }: { composition: Composition }) {
  const { faults, repeated, people } = composition.sheet.value
  const { leaves_out_faults } = composition.form.value
  return (
    <>
      {faults.length > 0 && (
        <div class="compose-faults">
          <h3>
            <Icon name="alert" />{' '}
            {faults.length === 1 ? '1 row has a mistake' : `${number(faults.length)} rows have mistakes`}
          </h3>
          <ul tabindex={0} aria-label="Rows with mistakes">
            {faults.slice(0, FAULTS_SHOWN).map(({ line, reason }) => (
              <li key={line}>
                <span class="faint">Line {number(line)}</span> <span>{reason}</span>
              </li>
            ))}
          </ul>
          {faults.length > FAULTS_SHOWN && <p class="faint">And {number(faults.length - FAULTS_SHOWN)} more.</p>}
          {people.length > 0 && (
            <Switch
              label={faults.length === 1 ? 'Leave this row out' : 'Leave these rows out'}
              is_on={leaves_out_faults}
              hint={`The other ${people.length === 1 ? 'recipient gets' : `${number(people.length)} recipients get`} the message.`}
              onChange={(is_on) => composition.change({ leaves_out_faults: is_on })}
            />
          )}
        </div>
      )}
      {repeated.length > 0 && (
        <details class="compose-repeated">
          <summary>
            {repeated.length === 1 ? '1 phone number is' : `${number(repeated.length)} phone numbers are`} listed again:
            each gets the message once
          </summary>
          <ul>
            {repeated.slice(0, FAULTS_SHOWN).map(({ line, phone, first_line }) => (
              <li key={line}>
                <span class="faint">Line {number(line)}</span>{' '}
                <span>
                  {phone}, first on line {number(first_line)}
                </span>
              </li>
            ))}
          </ul>
          {repeated.length > FAULTS_SHOWN && <p class="faint">And {number(repeated.length - FAULTS_SHOWN)} more.</p>}
        </details>
      )}
    </>
  )
}
