/** The values of the template's variables: a column of the file, or a text for everybody. */

import { Field, SelectField } from '../../ui/forms/field.tsx'
import type { Composition } from './composition.ts'
import { nameOfVariable } from './template_text.ts'

const TEXT = 'text'

export function VariablesPart({ composition }: { composition: Composition }) {
  const { template, rows } = composition.form.value
  const variables = template?.variables ?? []
  if (!template || variables.length === 0) {
    return (
      <section class="card compose-part" id="compose-variables" aria-labelledby="compose-variables-title">
        <h2 id="compose-variables-title" tabindex={-1}>
          <span class="compose-step">3</span> Variables
        </h2>
        <p class="faint">
          {template ? 'This template has none: everybody gets the same text.' : 'They depend on the template.'}
        </p>
      </section>
    )
  }
  return (
    <section class="card compose-part" id="compose-variables" aria-labelledby="compose-variables-title">
      <h2 id="compose-variables-title" tabindex={-1}>
        <span class="compose-step">3</span> Variables
      </h2>
      {rows.length === 0 && <p class="faint">Once there are recipients, their columns can be chosen here.</p>}
      <ul class="compose-variables">
        {variables.map((name) => (
          <Variable composition={composition} name={name} key={name} />
        ))}
      </ul>
    </section>
  )
}

function Variable({ composition, name }: { composition: Composition; name: string }) {
  const { sources, rows, phone_at, has_head } = composition.form.value
  const { column, text } = sources[name] ?? { column: null, text: '' }
  const first = rows[has_head ? 1 : 0]?.cells ?? []
  const options = composition.columns.value.map((title, at) => {
    const example = first[at]?.trim().slice(0, 24)
    return {
      value: String(at),
      text: `${title}${at === phone_at ? ' (phone)' : ''}${example ? ` – “${example}”` : ''}`,
    }
  })
  const choose = (value: string) => composition.changeSource(name, { column: value === TEXT ? null : Number(value) })
  const title = nameOfVariable(name)
  return (
    <li>
      <SelectField
        label={title}
        value={column === null ? TEXT : String(column)}
        options={[{ value: TEXT, text: 'The same text for everybody' }, ...options]}
        onChange={choose}
      />
      <Field label={column === null ? `Text for ${title}` : `Where ${title} is empty`}>
        {(attributes) => (
          <input
            {...attributes}
            type="text"
            maxlength={4096}
            autocomplete="off"
            placeholder={column === null ? '' : 'Nothing: the row is a mistake'}
            value={text}
            onInput={({ currentTarget }) => composition.changeSource(name, { text: currentTarget.value })}
          />
        )}
      </Field>
    </li>
  )
}
